package io.psf.gpu.shard;

import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.Stream;
import io.psf.gpu.report.Measured;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The highest rates of copies that were measured on the card, in GB/s.
 *
 * @param copy bytes read and written by a copy on the device
 * @param in bytes copied from page-locked memory to the device
 * @param out bytes copied from the device to page-locked memory
 */
record Floors(double copy, double in, double out) {
    private static final long COPIED = Size.of(1L << 30);
    private static final int PINNED = Size.of(256 << 20);

    static Floors measure(Device device, Consumer<Measured> rows) {
        try (Lent lent = new Lent(device)) {
            Stream stream = lent.workspace().stream();
            long from = lent.filled(COPIED, 0);
            long to = lent.filled(COPIED, 0);
            double copy = 2.0 * COPIED / 1e9 / Timing.queued(stream, () -> stream.copy(from, to, COPIED));
            ByteBuffer host = lent.workspace().hostMemory(PINNED);
            double in = PINNED / 1e9 / Timing.queued(stream, () -> stream.copyIn(host, to));
            double out = PINNED / 1e9 / Timing.queued(stream, () -> stream.copyOut(from, host));
            rows.accept(Measured.floor("copy on the device, 1 GB, bytes read and written", copy));
            rows.accept(Measured.floor("copy from page-locked memory to the device, 256 MB", in));
            rows.accept(Measured.floor("copy from the device to page-locked memory, 256 MB", out));
            return new Floors(copy, in, out);
        }
    }
}
