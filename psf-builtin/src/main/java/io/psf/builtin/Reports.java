package io.psf.builtin;

import io.psf.api.Caller;
import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.Role;
import io.psf.builtin.internal.reports.CollectReportsPsf;
import io.psf.builtin.internal.reports.ReportScalarPsf;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The values that workers report while they train, such as their losses, for whoever watches the job.
 *
 * <pre>{@code
 * Reports.scalar(worker, "loss", step, loss);        // sent now; awaited by nobody
 * }</pre>
 *
 * <p>A server keeps the series of the workers whose ranks it owns, in memory, and a checkpoint of a model has all series:
 * a load brings them back as they were, and so does a server that takes the place of a lost one. A series that grows is
 * thinned out to a few hundred points.
 */
public final class Reports {
    private Reports() {}

    /**
     * The values that one caller has reported of one tag, by step.
     *
     * @param tag what they are
     * @param worker the rank of the worker; below 0, a number of its own, for a client
     * @param steps [n] int64, ascending
     * @param millis [n] int64, when they were reported, in milliseconds since 1970 by the server's clock
     * @param values [n] float64
     */
    public record Series(String tag, int worker, long[] steps, long[] millis, double[] values) {
        @Override
        public String toString() {
            return tag + " of " + worker + ": " + Arrays.toString(steps) + " " + Arrays.toString(values);
        }
    }

    /**
     * Reports a value, exactly once. A step that is not above the last one of this caller and tag drops the points from
     * there on: the worker has gone back, such as to a checkpoint.
     *
     * @param tag what it is, such as {@code loss}: 1 to 200 printable characters
     * @param step the step of the caller at which it was measured
     * @param value any number; NaN is kept, too
     * @return answered once the server has the value; fails with {@code BAD_REQUEST} if the tag is no name, and with
     *     {@code RESOURCE_EXHAUSTED} if the server has 1,024 series
     */
    public static Pending<?> scalar(ClusterCaller worker, String tag, long step, double value) {
        return ReportScalarPsf.stub(worker).call(owner(worker), tag, step, value);
    }

    /** Returns the key of the server that keeps a caller's series. */
    static long owner(Caller caller) {
        return caller instanceof ClusterCaller known && known.role() == Role.WORKER ? known.rank() : 0;
    }

    /** Returns what all workers have reported, in the order of tags and ranks. Blocks until the servers have answered. */
    public static List<Series> of(Caller caller) {
        return of(caller, 512);
    }

    /**
     * Returns what all workers have reported, in the order of tags and ranks. Blocks until the servers have answered.
     *
     * @param most the most points of a series, at least 2, chosen evenly; the newest one is among them
     */
    public static List<Series> of(Caller caller, int most) {
        return CollectReportsPsf.stub(caller).call(most).await().series().stream()
                .map(each -> new Series(each.tag(), each.worker(), each.steps(), each.millis(), each.values()))
                .sorted(Comparator.comparing(Series::tag).thenComparing(Series::worker))
                .toList();
    }
}
