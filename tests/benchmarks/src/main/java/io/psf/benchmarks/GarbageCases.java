package io.psf.benchmarks;

import io.psf.benchmarks.DenseCalls.Kind;
import io.psf.builtin.TensorSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a call allocates on the heaps of worker and server, over all threads. The allocation of a large call
 * is compared with the allocation of a small call with as many slices. Arrays are sent without copies on the heap, so
 * the allocation does not grow with them.
 */
final class GarbageCases {
    private static final int SMALL = 4 << 10;
    private static final int LARGE = 1 << 20;
    /** The default number of slices of a 1 MB tensor on one server. */
    private static final int SLICES = 4;

    private static final Goal NO_GROWTH = Goal.ratioAtMost(1.5);

    private GarbageCases() {}

    static List<Case> all() {
        return List.of(
                of(Kind.PUSH, SMALL, null),
                of(Kind.PUSH, LARGE, NO_GROWTH),
                of(Kind.PULL, SMALL, null),
                of(Kind.PULL, LARGE, NO_GROWTH));
    }

    private static Case of(Kind kind, int bytes, @Nullable Goal goal) {
        String name = "garbage of " + kind.label + " " + DenseCases.size(bytes);
        return new Case(
                List.of(new Line(name + ", worker", "B/call", goal), new Line(name + ", server", "B/call", goal)),
                bench -> new Garbage(bench, kind, bytes));
    }

    private static final class Garbage implements Sides {
        private final MemoryPsf.Stub server;
        private final @Nullable Calls small;
        private final Calls measured;

        Garbage(Bench bench, Kind kind, int bytes) {
            server = MemoryPsf.stub(bench.worker());
            small = bytes == SMALL ? null : new DenseCalls(bench.worker(), kind, SMALL, 1, SLICES);
            measured = new DenseCalls(bench.worker(), kind, bytes, 1, bytes == SMALL ? TensorSpec.PIECES : SLICES);
        }

        @Override
        public double[] floor(int times) {
            return small == null ? new double[] {Double.NaN, Double.NaN} : garbage(small, times);
        }

        @Override
        public double[] ours(int times) {
            return garbage(measured, times);
        }

        private double[] garbage(Calls calls, int times) {
            long atServer = server.call(false).await().allocated();
            long here = ThisProcess.memory(false).allocated();
            Calls.make(calls, times, 1);
            long hereAfter = ThisProcess.memory(false).allocated();
            long atServerAfter = server.call(false).await().allocated();
            return new double[] {(hereAfter - here) / (double) times, (atServerAfter - atServer) / (double) times};
        }

        @Override
        public int least() {
            return 200; // so that the calls to Memory are negligible
        }

        @Override
        public void close() {
            measured.close();
            if (small != null) {
                small.close();
            }
        }
    }
}
