package io.psf.runtime.internal.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.simulation.Interleavings;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RingInterleavingsTest {
    private static final int WORDS = 4;
    private static final int CAPACITY = 16;

    private final Semaphore wakeWriter = new Semaphore(0);
    private final Semaphore wakeReader = new Semaphore(0);

    /** The ring has space for two words, so that each side sleeps until the other one wakes it. */
    @Test
    void everyWordArrivesOnceAndNoSideSleepsOn() {
        ByteBuffer memory = ByteBuffer.allocateDirect(Ring.CONTROL + CAPACITY + Long.BYTES);
        Interleavings.check(threads -> {
            for (int at = 0; at < memory.capacity(); at++) {
                memory.put(at, (byte) 0);
            }
            wakeWriter.drainPermits();
            wakeReader.drainPermits();
            Ring ring = new Ring(memory.alignedSlice(Long.BYTES), 0, Ring.CONTROL, CAPACITY);
            threads.start(() -> write(new RingWriter(ring)));
            threads.start(() -> read(new RingReader(ring)));
            threads.await();
        });
    }

    private void write(RingWriter writer) throws Exception {
        for (int word = 1; word <= WORDS; word++) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).putLong(0, word);
            while (bytes.hasRemaining()) {
                if (writer.write(bytes) > 0) {
                    if (writer.readerToBeWoken()) {
                        wakeReader.release();
                    }
                } else if (writer.prepareToWait(1)) {
                    wakeWriter.acquire();
                }
            }
        }
    }

    private void read(RingReader reader) throws Exception {
        for (int word = 1; word <= WORDS; word++) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
            while (bytes.hasRemaining()) {
                if (reader.read(bytes) > 0) {
                    if (reader.writerToBeWoken()) {
                        wakeWriter.release();
                    }
                } else if (reader.prepareToSleep(0)) {
                    wakeReader.acquire();
                }
            }
            assertThat(bytes.getLong(0)).isEqualTo(word);
        }
    }
}
