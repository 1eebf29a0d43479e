package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.fuzz.Script;
import io.psf.runtime.spi.transport.DamagedFrameException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.TlsFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The reader of TLS records. Frames that were changed before their encryption arrive as they would without TLS,
 * whatever the lengths of the records. Of records that were changed on the way, the frames before the first changed one
 * arrive, and no others.
 */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class TlsFuzzTest {
    private static final int TRUSTED = 1;
    private static final int RAW = 2;
    /** Two bits, since a handshake follows. */
    private static final int DAMAGED = 12;

    /** The connection of the scripts, until a record is damaged. */
    private static @Nullable Connection connection;

    private static final class Connection {
        private final TlsPair pair = TlsPair.secured();
        private final TlsReader reader = new TlsReader(pair.far(), TlsPair.ENGINES, ByteBuffer.allocate(0));
        private final ByteBuffer record =
                ByteBuffer.allocate(pair.near().getSession().getPacketBufferSize());

        /** Encrypts a stream in pieces. */
        byte[] encrypted(byte[] stream, int piece) throws SSLException {
            ByteArrayOutputStream records = new ByteArrayOutputStream();
            for (int at = 0; at < stream.length; at += piece) {
                ByteBuffer some = ByteBuffer.wrap(stream, at, Math.min(piece, stream.length - at));
                while (some.hasRemaining()) {
                    pair.near().wrap(some, record.clear());
                    records.write(record.array(), 0, record.flip().remaining());
                }
            }
            return records.toByteArray();
        }
    }

    static Stream<byte[]> seeds() {
        return DecoderFuzzTest.seeds();
    }

    private static Connection connection() {
        Connection now = connection;
        if (now == null) {
            now = new Connection();
            connection = now;
        }
        return now;
    }

    @MethodSource("seeds")
    @FuzzTest
    void theFramesInTheRecordsArriveAndNothingElse(byte[] script) throws IOException {
        Script edits = new Script(script);
        int how = edits.next();
        boolean trusted = (how & TRUSTED) != 0;
        int perRecord = 1 + 8 * edits.next();
        int perRead = 1 + 64 * (how >> 4);
        byte[] stream = (how & RAW) != 0 ? edits.rest() : DecoderFuzzTest.stream(edits);
        Connection on = connection();
        byte[] records = on.encrypted(stream, perRecord);
        byte[] arriving = (how & DAMAGED) == DAMAGED ? edits.changed(records) : records;
        Got got = read(on, arriving, perRead, trusted);
        DecoderFuzzTest.Expected expected = DecoderFuzzTest.expected(stream, trusted);
        if (Arrays.equals(arriving, records)) {
            assertThat(got.failure).isNull();
            assertThat(got.frames).usingElementComparator(Arrays::compare).isEqualTo(expected.frames());
            assertThat(got.refused).isEqualTo(expected.refused());
        } else {
            connection = null;
            assertThat(got.frames.size()).isLessThanOrEqualTo(expected.frames().size());
            assertThat(got.frames)
                    .usingElementComparator(Arrays::compare)
                    .isEqualTo(expected.frames().subList(0, got.frames.size()));
            if (got.refused) {
                assertThat(expected.refused()).isTrue();
            }
            if (got.failure != null) {
                assertThat(got.failure).hasMessageMatching("TLS: .{10,}");
            }
        }
    }

    private static final class Got {
        private final List<byte[]> frames = new ArrayList<>();
        private boolean refused;
        private @Nullable TlsFailure failure;
    }

    private static Got read(Connection on, byte[] records, int piece, boolean trusted) throws IOException {
        Got got = new Got();
        FrameReader frames = new FrameReader(new FramePool(1 << 20));
        if (trusted) {
            frames.trust();
        }
        try {
            for (int at = 0; at < records.length; at += piece) {
                take(on, TlsPair.from(records, at, Math.min(piece, records.length - at)), frames, got);
            }
        } catch (TlsFailure e) {
            got.failure = e;
        }
        frames.release();
        return got;
    }

    /** Reads all that a channel has; after a refusal without a look at it. */
    private static void take(Connection on, ReadableByteChannel from, FrameReader frames, Got got) throws IOException {
        ByteBuffer unread = ByteBuffer.allocate(16 << 10);
        for (int n = 1; n > 0; ) {
            n = on.reader.read(got.refused ? unread.clear() : frames.target(), from);
            try {
                for (Frame frame = got.refused ? null : frames.next(); frame != null; frame = frames.next()) {
                    byte[] bytes = new byte[frame.bytes().remaining()];
                    frame.bytes().get(0, bytes);
                    frame.release();
                    got.frames.add(bytes);
                }
            } catch (PsException e) {
                assertThat(e.code()).isEqualTo(Code.PROTOCOL);
                got.refused = true;
                n = 1; // there may be more
            } catch (DamagedFrameException e) {
                throw new AssertionError("a reader of frames without checksums", e);
            }
        }
    }
}
