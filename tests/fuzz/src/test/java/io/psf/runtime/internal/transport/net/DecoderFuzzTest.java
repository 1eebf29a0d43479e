package io.psf.runtime.internal.transport.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.fuzz.Allocation;
import io.psf.fuzz.Bytes;
import io.psf.fuzz.Host;
import io.psf.fuzz.Sample;
import io.psf.fuzz.Script;
import io.psf.fuzz.Seeds;
import io.psf.netty.NettyFrames;
import io.psf.runtime.spi.transport.ConnectionLimits;
import io.psf.runtime.spi.transport.DamagedFrameException;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.io.ByteArrayOutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** What puts frames together, on a stream of frames that were changed on the way, cut into pieces anywhere. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class DecoderFuzzTest {
    private static final int FROM_A_STRANGER = ConnectionLimits.STRANGER_FRAME;

    /** What a trusted peer's frame is given at once. */
    private static final long AT_FIRST = 4 << 20;

    private static final List<byte[]> FRAMES = frames();
    private static final BufferPoolMXBean DIRECT = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .findFirst()
            .orElseThrow();

    private static List<byte[]> frames() {
        List<byte[]> frames = new ArrayList<>();
        try (Host host = new Host()) {
            for (Sample<?, ?> sample : Sample.ALL) {
                host.call(sample);
                frames.addAll(host.requests());
                frames.addAll(host.answers());
            }
        }
        frames.add(Bytes.ping());
        return frames;
    }

    static Stream<byte[]> seeds() {
        return Stream.concat(
                Seeds.of(FRAMES.size())
                        .map(seed -> Stream.of(new byte[] {0, 8}, seed).reduce(new byte[0], DecoderFuzzTest::joined)),
                Stream.concat(FRAMES.stream(), Stream.of(longOfAStranger()))
                        .map(frame -> joined(new byte[] {2, 50}, frame)));
    }

    /** Returns the begin of a frame that is too long for a stranger, and is not for others. */
    private static byte[] longOfAStranger() {
        byte[] frame = FRAMES.get(0).clone();
        Bytes.little(frame).putInt(0, FROM_A_STRANGER + 8);
        return frame;
    }

    private static byte[] joined(byte[] a, byte[] b) {
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    @MethodSource("seeds")
    @FuzzTest
    void theStreamIsCutIntoTheFramesThatItHolds(byte[] script) {
        Script edits = new Script(script);
        int how = edits.next();
        boolean trusted = (how & 1) != 0;
        int piece = 1 + edits.next();
        byte[] stream = (how & 2) != 0 ? edits.rest() : stream(edits);
        Expected expected = expected(stream, trusted);
        long before = DIRECT.getMemoryUsed();
        List<Got> decoded = new ArrayList<>();
        long aPiece = 1 << 8;
        Allocation.bounded(
                stream.length,
                aPiece * (1 + stream.length / piece),
                () -> decoded.add(decode(stream, piece, trusted, new FramePool(1 << 20))));
        for (Got got : decoded) {
            assertThat(got.frames).usingElementComparator(Arrays::compare).isEqualTo(expected.frames);
            assertThat(got.told == null ? null : got.told.code()).isEqualTo(expected.refused ? Code.PROTOCOL : null);
        }
        Got byNetty = new Got();
        byNetty.told = NettyFrames.decode(stream, piece, trusted, new FramePool(1 << 20), byNetty::take);
        List<byte[]> handedOver = expected.frames.stream()
                .takeWhile(frame -> !Bytes.isCheck(frame)) // the rest has no checksums
                .filter(frame -> !Bytes.isPing(frame))
                .toList();
        boolean checks = expected.frames.stream().anyMatch(Bytes::isCheck);
        assertThat(byNetty.frames).usingElementComparator(Arrays::compare).isEqualTo(handedOver);
        assertThat(byNetty.told == null ? null : byNetty.told.code())
                .isEqualTo(expected.refused && !checks ? Code.PROTOCOL : null);
        // No more than four times, each of which has kept what it took at most twice: whole, and growing.
        long most = 4 * (2 * AT_FIRST + (64 << 10) + 8L * stream.length);
        assertThat(DIRECT.getMemoryUsed() - before).as("bytes of direct memory").isLessThanOrEqualTo(most);
    }

    /** Some frames, changed. */
    static byte[] stream(Script edits) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = 0; i < 4 && (i == 0 || edits.hasMore()); i++) {
            stream.writeBytes(edits.edited(FRAMES.get(edits.next() % FRAMES.size())));
        }
        return stream.toByteArray();
    }

    record Expected(List<byte[]> frames, boolean refused) {}

    /** What the protocol's page says of a stream. */
    static Expected expected(byte[] stream, boolean trusted) {
        List<byte[]> frames = new ArrayList<>();
        int at = 0;
        while (stream.length - at >= Frame.HEADER) {
            int length = Bytes.length(stream, at);
            if (!Bytes.hasHeader(stream, at) || length > (trusted ? Frame.MAX_LENGTH : FROM_A_STRANGER)) {
                return new Expected(frames, true);
            }
            if (length > stream.length - at) {
                break;
            }
            frames.add(Arrays.copyOfRange(stream, at, at + length));
            at += length;
        }
        int rest = stream.length - at;
        return new Expected(frames, rest >= Frame.BEGINNING && rest < Frame.HEADER && !Bytes.hasKind(stream, at));
    }

    private static final class Got {
        private final List<byte[]> frames = new ArrayList<>();
        private @Nullable PsException told;

        void take(Frame frame) {
            byte[] bytes = new byte[frame.bytes().remaining()];
            frame.bytes().get(0, bytes);
            frame.release();
            frames.add(bytes);
        }
    }

    private static Got decode(byte[] stream, int piece, boolean trusted, FramePool pool) {
        Got got = new Got();
        FrameReader reader = new FrameReader(pool);
        if (trusted) {
            reader.trust();
        }
        try {
            for (int at = 0; at < stream.length; ) {
                ByteBuffer target = reader.target();
                assertThat(target.hasRemaining()).as("room for what comes").isTrue();
                int n = Math.min(Math.min(piece, stream.length - at), target.remaining());
                target.put(stream, at, n);
                at += n;
                for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                    got.take(frame);
                }
            }
        } catch (PsException e) {
            got.told = e;
        } catch (DamagedFrameException e) {
            throw new AssertionError("a reader of frames without checksums", e);
        }
        reader.release();
        return got;
    }
}
