package io.psf.benchmarks;

import io.psf.benchmarks.DenseCalls.Kind;
import io.psf.builtin.OpenMetrics;
import io.psf.runtime.PsCluster;
import io.psf.runtime.TransportConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cases of the meter: calls to a server that counts its requests for Prometheus, compared with calls to one that has no
 * listener. Both are in this process, over shared memory. Calls to both alternate in short blocks, so that other load of
 * the machine meets both.
 */
final class MeterCases {
    private static final int BYTES = 4 << 10;
    /** The calls of a block. The other server's threads still spin during the first ones. */
    private static final int BLOCK = 128;

    private static final int UNRECORDED = 32;

    private MeterCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (Kind kind : new Kind[] {Kind.PUSH, Kind.PULL}) {
            String name = "latency of " + kind.label + " " + DenseCases.size(BYTES) + ", counted to not counted, p50";
            cases.add(Case.of(new Line(name, "us", Goal.ratioAtMost(1.03)), bench -> new Counted(kind)));
        }
        return cases;
    }

    private static final class Counted implements Sides {
        private final PsCluster plain = start();
        private final PsCluster counting = start();
        private final Calls calls;
        private final Calls counted;
        /** The medians that the floor has measured last: not counted, counted. */
        private double[] last = {};

        Counted(Kind kind) {
            counting.servers().get(0).listen(new OpenMetrics().listener());
            calls = new DenseCalls(plain.worker(), kind, BYTES, 1);
            counted = new DenseCalls(counting.worker(), kind, BYTES, 1);
        }

        private static PsCluster start() {
            return PsCluster.builder()
                    .servers(1)
                    .workers(1)
                    .over(new TransportConfig(TransportConfig.Kind.SHM, Duration.ofNanos(50_000)))
                    .start();
        }

        @Override
        public double[] floor(int times) {
            last = p50s(times);
            return new double[] {last[0]};
        }

        /** Returns what {@link #floor} has measured beside its own side, after as many calls again. */
        @Override
        public double[] ours(int times) {
            double[] now = p50s(times);
            return new double[] {last.length == 0 ? now[1] : last[1]};
        }

        /** Returns the medians of both, in microseconds: not counted, counted. */
        private double[] p50s(int times) {
            int blocks = times / BLOCK + 1;
            long[][] took = new long[2][blocks * (BLOCK - UNRECORDED)];
            for (int block = 0; block < blocks; block++) {
                for (int side = 0; side < 2; side++) {
                    block(side == 0 ? calls : counted, took[side], block * (BLOCK - UNRECORDED));
                }
            }
            return Arrays.stream(took)
                    .mapToDouble(each -> Arrays.stream(each).sorted().toArray()[each.length / 2] / 1e3)
                    .toArray();
        }

        private static void block(Calls calls, long[] took, int at) {
            for (int i = 0; i < BLOCK; i++) {
                long before = System.nanoTime();
                calls.send(0).await();
                if (i >= UNRECORDED) {
                    took[at + i - UNRECORDED] = System.nanoTime() - before;
                }
            }
        }

        @Override
        public int least() {
            return BLOCK;
        }

        @Override
        public void close() {
            calls.close();
            counted.close();
            plain.close();
            counting.close();
        }
    }
}
