"""Conversations: what a thread keeps from turn to turn, and where it is kept."""

from assistant.read.earlier import PastedText as PastedText

from .checkpointers import open_checkpointer as open_checkpointer
from .history import messages_of as messages_of
from .thread import Thread as Thread
from .thread import Turn as Turn
from .threads import Threads as Threads
