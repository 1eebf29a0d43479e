package io.psf.builtin.internal.reports;

import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.Node;
import io.psf.builtin.push.AtMost;
import java.util.List;
import java.util.TreeMap;

/** The series that a server keeps. Attached to the server, used on its lane. */
public final class ReportedSeries implements Metered {
    /** The most series of a server, of which each has up to 512 points. */
    static final int MOST = 1024;

    private final TreeMap<String, TreeMap<Integer, Points>> byTag = new TreeMap<>();
    private int count;

    /** Returns the series of a server. */
    public static ReportedSeries of(Node server) {
        return server.attachment("psf.report", ReportedSeries.class, ReportedSeries::new);
    }

    void add(int worker, String tag, long step, double value) {
        AtMost.requireName("a reported value", tag);
        TreeMap<Integer, Points> workers = byTag.get(tag);
        Points points = workers == null ? null : workers.get(worker);
        if (points == null) {
            AtMost.requireOneMore("series of reported values, with " + tag, count, MOST, "report values of fewer tags");
            points = new Points();
            byTag.computeIfAbsent(tag, name -> new TreeMap<>()).put(worker, points);
            count++;
        }
        points.add(step, System.currentTimeMillis(), value);
    }

    /** Replaces a series by that of a checkpoint. If there are too many, a new series is left out. */
    public void restore(ReportedValues saved) {
        AtMost.requireName("a reported value", saved.tag());
        TreeMap<Integer, Points> workers = byTag.computeIfAbsent(saved.tag(), name -> new TreeMap<>());
        boolean isNew = !workers.containsKey(saved.worker());
        if (!isNew || count < MOST) {
            workers.put(saved.worker(), new Points(saved));
            count += isNew ? 1 : 0;
        }
    }

    @Override
    public void measure(Metrics to) {
        byTag.forEach((tag, workers) -> workers.forEach((worker, points) -> to.with("tag", tag)
                .with("worker", worker)
                .highest("psf.report", "values", "newest value that a worker has reported", points.newest())));
    }

    /** Returns all series, of at most so many points each. */
    List<ReportedValues> all(int most) {
        return byTag.entrySet().stream()
                .flatMap(tag -> tag.getValue().entrySet().stream()
                        .map(each -> each.getValue().series(tag.getKey(), each.getKey(), most)))
                .toList();
    }
}
