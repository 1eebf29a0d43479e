package io.psf.runtime.internal.transport.net;

import io.psf.runtime.spi.transport.TlsEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * The sending half of a TLS connection. Encrypts some records and writes them, then the next ones, so that the peer
 * decrypts meanwhile. Bytes count as written once their record is: the caller presents them again until then, so that
 * no encrypted bytes are left behind that nobody asks to write. Used under the caller's lock.
 */
final class TlsWriter {
    /** The bytes of records that are written at once. */
    private static final int CAPACITY = 64 << 10;

    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final TlsEngines engines;
    /** Encrypted bytes, from the position to the limit. */
    private final ByteBuffer out = ByteBuffer.allocate(CAPACITY).limit(0);

    /** The arguments of the engine; reused, since they would be garbage of every frame. */
    private final ByteBuffer[] from = {NONE, NONE};

    private final int mostPerRecord;
    /** The bytes at the front of the next buffer that are encrypted already. */
    private int owed;

    TlsWriter(SSLEngine engine, TlsEngines engines) {
        this.engine = engine;
        this.engines = engines;
        this.mostPerRecord = engine.getSession().getPacketBufferSize();
    }

    /** Writes as much of two buffers, one after the other, as the socket takes. Returns the number of bytes. */
    long write(ByteBuffer first, ByteBuffer second, WritableByteChannel to) throws IOException {
        long written = 0;
        from[0] = first;
        from[1] = second;
        try {
            while (true) {
                if (out.hasRemaining()) { // of an earlier call: this one presents the same bytes again
                    to.write(out);
                    if (out.hasRemaining()) {
                        return written;
                    }
                    written += owed;
                    skip(first, second);
                }
                if (!first.hasRemaining() && !second.hasRemaining()) {
                    return written;
                }
                int atFirst = first.position();
                int atSecond = second.position();
                boolean whole = false;
                try {
                    encrypt(first, second);
                    to.write(out);
                    whole = !out.hasRemaining();
                } finally {
                    if (!whole) { // not written, also if that failed
                        first.position(atFirst);
                        second.position(atSecond);
                    }
                }
                if (!whole) {
                    return written;
                }
                written += owed;
                owed = 0;
            }
        } finally {
            from[0] = NONE;
            from[1] = NONE;
        }
    }

    private void skip(ByteBuffer first, ByteBuffer second) {
        int n = Math.min(owed, first.remaining());
        first.position(first.position() + n);
        second.position(second.position() + owed - n);
        owed = 0;
    }

    private void encrypt(ByteBuffer first, ByteBuffer second) throws IOException {
        out.clear();
        try {
            while ((first.hasRemaining() || second.hasRemaining()) && out.remaining() >= mostPerRecord) {
                SSLEngineResult result = engine.wrap(from, 0, second.hasRemaining() ? 2 : 1, out);
                if (result.getStatus() != SSLEngineResult.Status.OK) {
                    throw new SSLException("closed for writing: " + result.getStatus());
                }
                owed += result.bytesConsumed();
            }
        } catch (SSLException | RuntimeException e) {
            throw engines.failure(e);
        } finally {
            out.flip();
        }
    }

    /** Tells the peer that the connection ends, if the socket takes that at once. Nothing is written afterwards. */
    void end(WritableByteChannel to) {
        if (out.hasRemaining()) {
            return; // in the middle of a record
        }
        try {
            engine.closeOutbound();
            engine.wrap(NONE, out.clear());
            to.write(out.flip());
        } catch (IOException | RuntimeException e) {
            out.limit(0); // the connection is closed in any case
        }
    }
}
