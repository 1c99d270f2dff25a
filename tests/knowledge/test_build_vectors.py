from pathlib import Path

from knowledge.build_vectors import build


def test_a_second_build_embeds_nothing_and_leaves_the_file_alone(tmp_path: Path) -> None:
    target = tmp_path / "vectors.npz"
    held, fresh = build(target, embedder="hash")
    assert held == fresh > 0
    content = target.read_bytes()
    assert build(target, embedder="hash") == (held, 0)
    assert target.read_bytes() == content
