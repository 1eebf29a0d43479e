package io.psf.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * A case that psf and a peer have measured in alternation.
 *
 * @param psf the medians of psf and of its floor, alternation by alternation
 * @param stdSort [alternations], the peer's figures with {@code std::sort}; NaN for none
 * @param radix [alternations], the peer's figures with a radix sort; NaN for none
 * @param beside the comparison of psf with the better of the peer's figures; its ratio is > 1 if psf is better
 */
record PeerResult(Result psf, double[] stdSort, double[] radix, Result beside) {
    /**
     * Pairs the results of a case.
     *
     * @param line the case, with its goal relative to the peer
     * @param ours [alternations], psf's results of the case
     * @param theirs [alternations], the peer's figures of all cases
     */
    static PeerResult of(Line line, List<Result> ours, List<PeerFigures> theirs) {
        Result psf = new Result(
                ours.get(0).line(),
                figures(ours, Result::oursMedian),
                figures(ours, Result::floorMedian),
                mean(ours, Result::others));
        double[] stdSort = figures(theirs, figures -> figure(figures.stdSort(), line));
        double[] radix = figures(theirs, figures -> figure(figures.radix(), line));
        boolean isLatency = line.unit().equals("us");
        double[] best = IntStream.range(0, radix.length)
                .mapToDouble(i -> better(stdSort[i], radix[i], isLatency))
                .toArray();
        double others = Math.max(psf.others(), mean(theirs, PeerFigures::others));
        Result beside =
                isLatency ? new Result(line, best, psf.ours(), others) : new Result(line, psf.ours(), best, others);
        return new PeerResult(psf, stdSort, radix, beside);
    }

    private static double figure(Map<String, Double> figures, Line line) {
        return figures.getOrDefault(line.name(), Double.NaN);
    }

    private static double better(double one, double other, boolean isLatency) {
        if (Double.isNaN(one) || Double.isNaN(other)) {
            return Double.isNaN(one) ? other : one;
        }
        return isLatency ? Math.min(one, other) : Math.max(one, other);
    }

    private static <T> double[] figures(List<T> runs, ToDoubleFunction<T> figure) {
        return runs.stream().mapToDouble(figure).toArray();
    }

    private static <T> double mean(List<T> runs, ToDoubleFunction<T> figure) {
        return runs.stream().mapToDouble(figure).average().orElseThrow();
    }
}
