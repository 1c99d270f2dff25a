"""Alibaba Cloud's own interface, by its official SDK (extra `aliyun`): what it sells where, and at which list price.

Importing this package loads no SDK; `open_cloud` does. Keys come from the caller and are shown nowhere.
"""
