package io.psf.runtime;

import io.psf.runtime.spi.transport.Transport;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A transport whose connections go over proxies that flip single bits, as a defective network card does. */
final class Flipping extends Proxied {
    private final Random random;
    private final AtomicInteger flips = new AtomicInteger();
    /** The mean number of bytes between two flipped bits; 0 to flip none. */
    private volatile int every;

    private final AtomicReference<@Nullable Damage> next = new AtomicReference<>();

    /** One bit of the next frame of a kind, if the frame is the first of those that arrive together. */
    private record Damage(int kind, int at, int bit) {}

    /** Creates a transport whose proxies flip no bits yet. */
    Flipping(Transport inner, long seed) {
        super(inner);
        this.random = new Random(seed);
    }

    /** Flips single bits from now on, in both directions of every connection: on average one in that many bytes. */
    void flipOneIn(int bytes) {
        every = bytes;
    }

    /** Flips one bit of the next frame of a kind that arrives alone, in either direction. */
    void flipNext(int kind, int at, int bit) {
        next.set(new Damage(kind, at, bit));
    }

    /** Returns the number of bits that have been flipped. */
    int flips() {
        return flips.get();
    }

    @Override
    void change(byte[] bytes, int n) {
        flipNext(bytes, n);
        flip(bytes, n);
    }

    private void flipNext(byte[] bytes, int n) {
        Damage damage = next.get();
        if (damage != null && n > damage.at && (bytes[4] & 0xff) == damage.kind && next.compareAndSet(damage, null)) {
            bytes[damage.at] ^= (byte) (1 << damage.bit);
            flips.incrementAndGet();
        }
    }

    private void flip(byte[] bytes, int n) {
        int mean = every;
        if (mean == 0) {
            return;
        }
        synchronized (random) {
            for (int at = random.nextInt(2 * mean); at < n; at += 1 + random.nextInt(2 * mean)) {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                flips.incrementAndGet();
            }
        }
    }
}
