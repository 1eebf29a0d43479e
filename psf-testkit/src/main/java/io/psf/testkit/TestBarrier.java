package io.psf.testkit;

import io.psf.api.PsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** The barrier of a test's workers. */
final class TestBarrier {
    private final TestPrograms programs;
    /** How often each worker has called it, by rank. */
    private final List<Integer> calls;

    TestBarrier(TestPrograms programs, int workers) {
        this.programs = programs;
        this.calls = new ArrayList<>(Collections.nCopies(workers, 0));
    }

    /** Waits until all workers have called the barrier as often as this one. A call that fails does not count. */
    void await(int rank, Duration limit) {
        int number = calls.get(rank) + 1;
        calls.set(rank, number);
        if (!programs.await(
                () -> Collections.min(calls) >= number, programs.now().plus(limit))) {
            List<Integer> missing = IntStream.range(0, calls.size())
                    .filter(other -> calls.get(other) < number)
                    .boxed()
                    .toList();
            calls.set(rank, number - 1);
            throw new PsException(
                    PsException.Code.TIMED_OUT,
                    "barrier " + number + " of worker " + rank + ": not called by workers " + missing
                            + " (expected: by all workers, in their programs, run by TestCluster.together)");
        }
    }
}
