package io.psf.benchmarks;

import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Measures cases on a worker. Each round measures the floor, then psf, so that other load on the machine affects both.
 * A round in which other virtual machines took more than {@link OtherLoad#DISTURBS} of the processors is measured
 * again, up to a maximum number of such rounds.
 */
final class Bench {
    /** The additional warm-up of psf before the first case; the code that all cases share is compiled in this time. */
    private static final int COLD_MILLIS = 10_000;

    /** The maximum additional warm-up of a side beyond the planned time. */
    private static final int MOST_WARM_MILLIS = 6_000;

    /** A side counts as improved if it takes less than this share of its best time so far. */
    private static final double FASTER = 0.93;

    private final Worker worker;
    private final RawClient raw;
    private final Placement placement;
    private final Plan plan;
    private final Consumer<Result> results;
    private final Map<Integer, float[]> tables = new HashMap<>();
    private boolean cold = true;

    Bench(Worker worker, RawClient raw, Placement placement, Plan plan, Consumer<Result> results) {
        this.worker = worker;
        this.placement = placement;
        this.raw = raw;
        this.plan = plan;
        this.results = results;
    }

    Worker worker() {
        return worker;
    }

    Placement placement() {
        return placement;
    }

    RawClient raw() {
        return raw;
    }

    /** Returns the heap table of a million rows that the floors use: [rows, width] float32. */
    float[] table(int width) {
        return tables.computeIfAbsent(width, w -> new float[SparseCalls.ROWS * w]);
    }

    /** One side of a case; measures one figure per line. */
    @FunctionalInterface
    private interface Side {
        double[] measure(int times) throws Exception;
    }

    void run(Case todo) throws Exception {
        List<Line> lines = todo.lines();
        try (Sides sides = todo.opening().open(this)) {
            int floorTimes = warmUp(sides::floor, sides.least(), plan.warmMillis());
            int oursTimes = warmUp(sides::ours, sides.least(), plan.warmMillis() + (cold ? COLD_MILLIS : 0));
            cold = false;
            double[][] floor = new double[lines.size()][plan.mostRounds()];
            double[][] ours = new double[lines.size()][plan.mostRounds()];
            List<Result> measured = List.of();
            double stolen = 0;
            int again = plan.rounds();
            int rounds = 0;
            while (rounds < plan.mostRounds() && !areDecided(measured)) {
                Stolen before = Stolen.now();
                double[] floors = sides.floor(floorTimes);
                double[] figures = sides.ours(oursTimes);
                double share = Stolen.now().since(before);
                if (share > OtherLoad.DISTURBS && again > 0) {
                    again--; // the figure would describe the host, not psf
                    continue;
                }
                stolen += share;
                for (int i = 0; i < lines.size(); i++) {
                    floor[i][rounds] = floors[i];
                    ours[i][rounds] = figures[i];
                }
                rounds++;
                measured = rounds < plan.rounds() ? List.of() : results(lines, ours, floor, rounds, stolen / rounds);
            }
            measured.forEach(results);
        }
    }

    /** True if there are results and no result is undecided. */
    private static boolean areDecided(List<Result> measured) {
        return !measured.isEmpty() && measured.stream().noneMatch(result -> result.verdict() == Goal.Verdict.UNDECIDED);
    }

    private static List<Result> results(
            List<Line> lines, double[][] ours, double[][] floor, int rounds, double others) {
        return IntStream.range(0, lines.size())
                .mapToObj(i -> new Result(
                        lines.get(i), Arrays.copyOf(ours[i], rounds), Arrays.copyOf(floor[i], rounds), others))
                .toList();
    }

    /** Runs a side for a while, and as long as it improves. Returns the number of repetitions that fill a round. */
    private int warmUp(Side side, int least, int millis) throws Exception {
        long start = System.nanoTime();
        long improved = start;
        double best = Double.MAX_VALUE;
        int times = least;
        while (true) {
            long begin = System.nanoTime();
            side.measure(times);
            long end = System.nanoTime();
            double each = (end - begin) / (double) times;
            if (each < FASTER * best) {
                best = each;
                improved = end;
            }
            double wanted = plan.roundMillis() * 1e6 / Math.max(1, each);
            times = (int) Math.max(least, Math.min(wanted, 2.0 * times));
            boolean isWarm = end - start >= 1_000_000L * millis && end - improved >= 1_000_000L * 2 * plan.warmMillis();
            if (isWarm || end - start >= 1_000_000L * (millis + MOST_WARM_MILLIS)) {
                return times;
            }
        }
    }
}
