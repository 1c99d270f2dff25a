from __future__ import annotations

import pytest

from knowledge.readers.furniture import clean_text, is_furniture

FURNITURE = [
    "2026-07-19 11:00:24 分类：云知识", "发布于 2026-07-19", "作者：张三 2026-07-19 11:00", "相关推荐努力", "加油", "点赞 收藏 分享", "点赞(12) 收藏 3",
    "上一篇：怎么选云服务器", "下一篇：怎么选云盘", "未经允许不得转载：某某站 » 怎么选云服务器", "转载请注明出处", "首页 > 云计算 > 选型",
    "版权声明：本文为博主原创文章，遵循 CC 4.0 BY-SA 版权协议，转载请附上原文出处链接和本声明。", "本文链接：https://example.com/a10/b/123", "阅读 1.2w 点赞 30",
    "分享到：微信 微博 QQ空间", "扫码关注我们的公众号", "Copyright © 2020-2026 Example Cloud", "© 2026 Example. All rights reserved.", "京ICP备12345678号-1",
    "This site uses cookies to improve your experience.", "Accept all cookies", "3 min read", "Home / Docs / GPU", "Previous: Billing", "Next post: Disks", "Skip to main content",
    "Posted on Jul 19, 2026", "Share on Twitter", "Subscribe to our newsletter", "第 3 页 / 共 10 页", "Page 3 of 10",
]  # fmt: skip
CONTENT = [
    "A10 有 24 GB 显存。", "下一篇：gn7i 搭载 A10", "相关推荐：训练用 gn7e", "分类：gn7i 属于计算型", "(c) A10 supports FP8", "(c) 2024 年 A10 降价", "声明：本文认为 A10 支持 FP8。",
    "搜索推荐服务用 T4", "广告推荐业务用 gn7i", "分享内存 16GB", "评论区部署 7B 模型", "首页推荐模型 > 24GB 时用 A10", "2026-07 起 gn7i 涨价 10%", "2026-07-19 阅读 gn7i 支持 FP8",
    "第3页的表格说明 A10 有 24GB", "## 目录", "| 首页 | 登录 |", "本文来自真实测试：延迟很低", "Next, choose a GPU.", "Copyright detection needs 24 GB.", "Cookies are small files of 4 kB, which A10 servers store.",
    "价格", "显存", "12", "阅读量大的服务要多卡", "Share the GPU between two pods",
]  # fmt: skip


@pytest.mark.parametrize("line", FURNITURE)
def test_furniture_goes(line: str) -> None:
    assert is_furniture(line) and is_furniture(f"  - {line}")
    assert clean_text(f"正文一。\n{line}\n正文二。") == "正文一。\n正文二。"


@pytest.mark.parametrize("line", CONTENT)
def test_content_stays(line: str) -> None:
    assert not is_furniture(line)


def test_code_is_left_alone() -> None:
    text = "例子：\n\n```\nhome\nsearch\n\n\nmenu\n```\n\n搜索\n\n\n\n正文。"
    assert clean_text(text) == "例子：\n\n```\nhome\nsearch\n\n\nmenu\n```\n\n正文。"
