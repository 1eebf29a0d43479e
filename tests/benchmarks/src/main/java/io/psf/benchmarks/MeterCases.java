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
 * listener. Both are in this process, over shared memory.
 */
final class MeterCases {
    private static final int BYTES = 4 << 10;

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
        public double[] floor(int times) throws Exception {
            return p50(times, calls);
        }

        @Override
        public double[] ours(int times) throws Exception {
            return p50(times, counted);
        }

        private static double[] p50(int times, Calls calls) throws Exception {
            return Arrays.copyOf(DenseCases.micros(times, () -> calls.send(0).await()), 1);
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
