package io.psf.gpu.shard;

import io.psf.gpu.driver.Event;
import io.psf.gpu.driver.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/** The median time of work, in seconds. */
final class Timing {
    private static final int MOST = Size.times(20);
    private static final int LEAST = Size.times(3);
    private static final int MOST_TO_WARM_UP = Size.times(2000);
    private static final long NANOS = 500_000_000;
    private static final long NANOS_TO_WARM_UP = 300_000_000;

    private Timing() {}

    /** Times a whole operation, which blocks until it has ended. */
    static double whole(Runnable operation) {
        return median(() -> {
            long began = System.nanoTime();
            operation.run();
            return (System.nanoTime() - began) / 1e9;
        });
    }

    /** Times work that is queued in a stream, on the device. */
    static double queued(Stream stream, Runnable work) {
        return queued(stream, () -> {}, work);
    }

    /** Times short work that is queued in a stream, on the device: ten times between two events. */
    static double tenQueued(Stream stream, Runnable work) {
        return queued(stream, () -> {
                    for (int i = 0; i < 10; i++) {
                        work.run();
                    }
                })
                / 10;
    }

    /** Times work that is queued in a stream, on the device, each time after a preparation that is not timed. */
    static double queued(Stream stream, Runnable preparation, Runnable work) {
        try (Event begin = Event.timed();
                Event end = Event.timed()) {
            return median(() -> {
                preparation.run();
                stream.record(begin);
                work.run();
                stream.record(end);
                stream.synchronize();
                return end.millisSince(begin) / 1e3;
            });
        }
    }

    private static double median(DoubleSupplier once) {
        long warm = System.nanoTime() + NANOS_TO_WARM_UP;
        for (int n = 0; n < LEAST || (n < MOST_TO_WARM_UP && System.nanoTime() < warm); n++) {
            double unused = once.getAsDouble();
        }
        List<Double> seconds = new ArrayList<>();
        long end = System.nanoTime() + NANOS;
        while (seconds.size() < LEAST || (seconds.size() < MOST && System.nanoTime() < end)) {
            seconds.add(once.getAsDouble());
        }
        seconds.sort(null);
        return seconds.get(seconds.size() / 2);
    }
}
