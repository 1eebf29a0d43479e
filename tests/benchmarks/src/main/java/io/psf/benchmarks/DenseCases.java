package io.psf.benchmarks;

import io.psf.benchmarks.DenseCalls.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cases of whole tensors over the wire, compared with the same bytes over a raw connection. */
final class DenseCases {
    private static final int KB = 1 << 10;
    private static final int MB = 1 << 20;
    private static final int[] SIZES = {4, 4 * KB, 64 * KB, MB, 16 * MB, 64 * MB};
    private static final String P50 = ", p50";
    private static final int OUTSTANDING = 8;
    private static final int BATCH = 64;

    private DenseCases() {}

    static List<Case> all(Transport transport) {
        List<Case> cases = new ArrayList<>();
        for (int bytes : SIZES) {
            for (Kind kind : Kind.values()) {
                cases.add(latency(kind, bytes, transport, Placement.APART));
            }
        }
        for (int bytes : SIZES) {
            for (Kind kind : Kind.values()) {
                cases.add(throughput(kind, bytes, transport));
            }
        }
        cases.add(oneFloat(transport));
        return cases;
    }

    /** Returns the cases that are measured again with all processes on one processor. */
    static List<Case> together(Transport transport) {
        List<Case> cases = new ArrayList<>();
        for (int bytes : new int[] {4 * KB, 64 * KB, MB}) {
            for (Kind kind : new Kind[] {Kind.PUSH, Kind.PULL}) {
                cases.add(latency(kind, bytes, transport, Placement.TOGETHER));
            }
        }
        return cases;
    }

    /** Returns the cases with goals for shared memory. */
    static List<Case> shared() {
        return List.of(
                latency(Kind.PUSH, 4 * KB, Transport.SHM, Placement.APART),
                latency(Kind.PULL, 4 * KB, Transport.SHM, Placement.APART),
                throughput(Kind.PUSH, MB, Transport.SHM),
                throughput(Kind.PULL, MB, Transport.SHM));
    }

    static String size(int bytes) {
        return bytes < KB ? bytes + " B" : bytes < MB ? bytes / KB + " KB" : bytes / MB + " MB";
    }

    private static String latency(String call, int bytes) {
        return "latency of " + call + " " + size(bytes);
    }

    /** Returns the name of the median latency of pushes or pulls over TCP. */
    static String p50(String call, int bytes) {
        return latency(call, bytes) + P50;
    }

    private static Case latency(Kind kind, int bytes, Transport transport, Placement placement) {
        String name = latency(kind.label, bytes);
        Goal goal = placement == Placement.TOGETHER ? Goal.ratioAtMost(1.5) : latencyGoal(kind, bytes, transport);
        List<Line> lines = new ArrayList<>();
        lines.add(new Line(placement.named(transport.named(name + P50)), "us", goal));
        lines.add(new Line(placement.named(transport.named(name + ", p99")), "us", null));
        if (transport == Transport.SHM && bytes == 4 * KB) {
            lines.add(new Line(placement.named(transport.named(name + ", p99 over p50")), "x", Goal.oursAtMost(5)));
        }
        return new Case(lines, bench -> new Latency(bench, kind, bytes));
    }

    private static @Nullable Goal latencyGoal(Kind kind, int bytes, Transport transport) {
        if (transport == Transport.SHM) {
            return bytes == 4 * KB ? Goal.oursAtMost(8) : null;
        }
        if (bytes < KB || kind == Kind.PUSH_PULL) {
            return null;
        }
        if (bytes == 4 * KB) {
            return Goal.ratioAtMost(1.35);
        }
        return kind == Kind.PULL
                ? Goal.ratioAtMost(bytes < MB ? 1.2 : 1.15)
                : Goal.ratioAtMost(bytes <= MB ? 1.4 : 1.3);
    }

    private static Case throughput(Kind kind, int bytes, Transport transport) {
        String name = "throughput of " + kind.label + " " + size(bytes) + ", " + OUTSTANDING + " outstanding";
        Goal goal = kind == Kind.PUSH_PULL ? null : throughputGoal(bytes, transport);
        return Case.of(new Line(transport.named(name), "MB/s", goal), bench -> {
            RawClient raw = bench.raw();
            RawClient.Exchange one = kind.floor(bytes, bench.placement());
            return new Rates(
                    bytes / 1e6,
                    2 * OUTSTANDING,
                    times -> raw.stream(times, OUTSTANDING, one),
                    OUTSTANDING,
                    new DenseCalls(bench.worker(), kind, bytes, OUTSTANDING));
        });
    }

    private static @Nullable Goal throughputGoal(int bytes, Transport transport) {
        if (bytes < MB) {
            return null;
        }
        if (transport == Transport.SHM) {
            return bytes == MB ? Goal.ratioAtLeast(3) : null;
        }
        return Goal.ratioAtLeast(bytes == MB ? 0.85 : 0.95);
    }

    private static Case oneFloat(Transport transport) {
        String name = "requests of push 4 B, " + BATCH + " outstanding";
        Goal goal = transport == Transport.SHM ? null : Goal.ratioAtLeast(0.2);
        return Case.of(
                new Line(transport.named(name), "calls/s", goal),
                bench -> new Rates(
                        1,
                        2 * BATCH,
                        times -> bench.raw().batches(times, BATCH, new RawClient.Exchange(4, 4, true)),
                        BATCH,
                        new DenseCalls(bench.worker(), Kind.PUSH, 4, BATCH)));
    }

    /** Measures sequential exchanges: p50, p99, and p99 over p50. */
    private record Latency(RawClient raw, Calls calls, RawClient.Exchange one) implements Sides {
        Latency(Bench bench, Kind kind, int bytes) {
            this(bench.raw(), new DenseCalls(bench.worker(), kind, bytes, 1), kind.floor(bytes, bench.placement()));
        }

        @Override
        public double[] floor(int times) throws Exception {
            return micros(times, () -> raw.exchange(one));
        }

        @Override
        public double[] ours(int times) throws Exception {
            return micros(times, () -> calls.send(0).await());
        }

        @FunctionalInterface
        private interface Exchange {
            void once() throws Exception;
        }

        private static double[] micros(int times, Exchange exchange) throws Exception {
            long[] took = new long[times];
            for (int i = 0; i < times; i++) {
                long before = System.nanoTime();
                exchange.once();
                took[i] = System.nanoTime() - before;
            }
            Arrays.sort(took);
            double p50 = took[times / 2] / 1e3;
            double p99 = took[(int) (times * 0.99)] / 1e3;
            return new double[] {p50, p99, p99 / p50};
        }

        @Override
        public int least() {
            return 5;
        }

        @Override
        public void close() {
            calls.close();
        }
    }
}
