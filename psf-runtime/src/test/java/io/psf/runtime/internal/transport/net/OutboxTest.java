package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.FramePool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

final class OutboxTest {
    /** A wire that takes a part of the first bytes. */
    private static final class Slow implements ByteWire {
        @Override
        public int read(ByteBuffer into) {
            return 0;
        }

        @Override
        public int write(ByteBuffer from) {
            int n = Math.min(10, from.remaining());
            from.position(from.position() + n);
            return n;
        }

        @Override
        public void close() {}

        @Override
        public SocketChannel socket() {
            throw new AssertionError("not reached");
        }
    }

    /** A frame whose tail is long. */
    private static final class LongFrame implements Draft {
        private static final int HEAD = 64;
        private final ByteBuffer tail = ByteBuffer.allocateDirect(1 << 20);

        @Override
        public ByteBuffer tail() {
            return tail;
        }

        @Override
        public int length() {
            return HEAD + tail.capacity();
        }

        @Override
        public void writeHeadTo(ByteBuffer out) {
            out.put(new byte[HEAD]);
        }

        @Override
        public boolean writeTo(ByteBuffer out) {
            throw new AssertionError("not reached");
        }
    }

    /**
     * An I/O error ends the connection. After any other error the next frame would be sent behind a part of this one.
     */
    @Test
    void aLackOfMemoryForTheRestOfAFrameBreaksTheConnection() {
        FramePool pool = new FramePool(0);
        pool.allocateLarge(bytes -> {
            throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
        });
        assertThatThrownBy(() -> new Outbox(pool).write(new LongFrame(), new Slow()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("no memory for the rest of a frame: ");
    }
}
