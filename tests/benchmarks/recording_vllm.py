"""One step of vLLM's scheduler with and without the recorder, in pairs within one process; prints the median ratio.

    tracer probe run vllm [--trace path.json | --edges] -- PYTHON tests/benchmarks/recording_vllm.py

Eight requests are decoded; a round is forty steps. The recorder is taken off and put on again from round to round.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tracer" / "probe" / "scenarios" / "vllm"))

STEPS, PAIRS = 40, 11


def _switch(recorder, on):
    if recorder.places.tool >= 0:
        watch = sys.monitoring
        watch.set_events(recorder.places.tool, watch.events.PY_START if on else 0)
    if recorder.by_profile:
        sys.setprofile(recorder.event if on else None)


def main():
    """Print steps' time and ratio."""
    import _vllm_parts as parts

    recorder = sys.modules["_tracer_recorder"]._current
    _switch(recorder, False)
    with tempfile.TemporaryDirectory() as folder:
        config = parts.configure(Path(folder), 1024, max_num_seqs=16)
        engine = parts.scheduler(config, 1024)
        hashed = parts.hasher(config)
        for k in range(8):
            engine.add_request(parts.request(f"r{k}", range(100 * k, 100 * k + 64), hashed, most=1900))
        for _ in range(STEPS):
            parts.step(engine)

        def round_of(on):
            _switch(recorder, on)
            since = time.process_time()
            for _ in range(STEPS):
                parts.step(engine)
            spent = time.process_time() - since
            _switch(recorder, False)
            return spent

        for _ in range(6):  # the first 200 hits of a place are written one by one: not what goes on
            round_of(True)
        plain, ratios = [], []
        for _ in range(PAIRS):
            off = round_of(False)
            plain.append(off)
            ratios.append(round_of(True) / off)
    print(f"plain {1e6 * statistics.median(plain) / STEPS:.0f} us a step, recorded {statistics.median(ratios):.2f}x")


main()
