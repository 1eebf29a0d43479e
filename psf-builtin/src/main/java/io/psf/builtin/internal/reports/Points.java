package io.psf.builtin.internal.reports;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The points of a series, in bounded memory: when they are too many, every second one is dropped, and from then on half
 * as many are kept. The newest point is always there.
 */
final class Points {
    /** The most points that are kept. */
    static final int MOST = 512;

    private record Point(long step, long millis, double value) {}

    /** The points that are kept, and at the end the newest one, which may not be. */
    private final List<Point> points = new ArrayList<>();

    private int kept;
    /** One of so many points is kept. */
    private int stride = 1;
    /** The points since the last one that was kept. */
    private int passed;

    Points() {}

    /** Goes on from the points of a checkpoint. */
    Points(ReportedValues saved) {
        for (int i = 0; i < saved.steps().length; i++) {
            add(saved.steps()[i], saved.millis()[i], saved.values()[i]);
        }
        stride *= Math.max(1, saved.stride());
    }

    /** Adds a point. Points of this step and of later ones are dropped: the caller has gone back to an earlier step. */
    void add(long step, long millis, double value) {
        points.subList(kept, points.size()).clear();
        while (kept > 0 && points.get(kept - 1).step() >= step) {
            points.remove(--kept);
            passed = stride - 1;
        }
        if (kept == MOST) {
            thin();
        }
        points.add(new Point(step, millis, value));
        passed++;
        if (passed == stride) {
            kept++;
            passed = 0;
        }
    }

    private void thin() {
        List<Point> half =
                IntStream.range(0, MOST / 2).mapToObj(i -> points.get(2 * i)).toList();
        points.clear();
        points.addAll(half);
        kept = half.size();
        passed = stride;
        stride *= 2;
    }

    /** Returns the newest value; NaN if there is none. */
    double newest() {
        return points.isEmpty() ? Double.NaN : points.get(points.size() - 1).value();
    }

    /** Returns at most so many of the points, at least 2: evenly chosen, and the newest. */
    ReportedValues series(String tag, int worker, int most) {
        int last = points.size() - 1;
        int step = Math.max(1, (last + most - 2) / (most - 1));
        List<Point> chosen = IntStream.rangeClosed(0, last)
                .filter(i -> i % step == 0 && i < last || i == last)
                .mapToObj(points::get)
                .toList();
        return new ReportedValues(
                tag,
                worker,
                chosen.stream().mapToLong(Point::step).toArray(),
                chosen.stream().mapToLong(Point::millis).toArray(),
                chosen.stream().mapToDouble(Point::value).toArray(),
                stride);
    }
}
