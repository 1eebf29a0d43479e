package io.psf.runtime.netty;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.fuzz.Allocation;
import io.psf.fuzz.Bytes;
import io.psf.fuzz.Host;
import io.psf.fuzz.Sample;
import io.psf.fuzz.Script;
import io.psf.fuzz.Seeds;
import io.psf.runtime.call.Channel;
import io.psf.runtime.call.Frame;
import io.psf.runtime.call.FramePool;
import io.psf.runtime.call.Receiver;
import java.io.ByteArrayOutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** What puts frames together, on a stream of frames that were changed on the way, cut into pieces anywhere. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
final class DecoderFuzzTest {
    private static final int FROM_A_STRANGER = 64 << 10;

    /** What a trusted peer's frame is given at once. */
    private static final long AT_FIRST = 1 << 20;

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
        return frames;
    }

    static Stream<byte[]> seeds() {
        return Stream.concat(
                Seeds.of(FRAMES.size())
                        .map(seed -> Stream.of(new byte[] {0, 8}, seed).reduce(new byte[0], DecoderFuzzTest::joined)),
                FRAMES.stream().map(frame -> joined(new byte[] {2, 50}, frame)));
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
        long aPiece = 1 << 10; // what Netty makes of it
        Allocation.bounded(
                stream.length,
                aPiece * (1 + stream.length / piece),
                () -> decoded.add(decode(stream, piece, trusted, new FramePool(1 << 20))));
        for (Got got : decoded) {
            assertThat(got.frames).usingElementComparator(Arrays::compare).isEqualTo(expected.frames);
            assertThat(got.told == null ? null : got.told.code()).isEqualTo(expected.refused ? Code.PROTOCOL : null);
        }
        // No more than three times, each of which has kept what it took at most twice: whole, and growing.
        long most = 3 * (2 * AT_FIRST + 8L * stream.length);
        assertThat(DIRECT.getMemoryUsed() - before).as("bytes of direct memory").isLessThanOrEqualTo(most);
    }

    private static byte[] stream(Script edits) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = 0; i < 4 && (i == 0 || edits.hasMore()); i++) {
            stream.writeBytes(edits.edited(FRAMES.get(edits.next() % FRAMES.size())));
        }
        return stream.toByteArray();
    }

    private record Expected(List<byte[]> frames, boolean refused) {}

    /** What the protocol's page says of a stream. */
    private static Expected expected(byte[] stream, boolean trusted) {
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
        return new Expected(frames, false);
    }

    private static final class Got implements Receiver {
        private final List<byte[]> frames = new ArrayList<>();
        private @Nullable PsException told;

        @Override
        public void received(Channel channel, Frame frame) {
            byte[] bytes = new byte[frame.bytes().remaining()];
            frame.bytes().get(0, bytes);
            frame.release();
            frames.add(bytes);
        }

        @Override
        public void closed(Channel channel, PsException cause) {
            told = cause;
        }
    }

    private static Got decode(byte[] stream, int piece, boolean trusted, FramePool pool) {
        Got got = new Got();
        EmbeddedChannel socket = new EmbeddedChannel();
        NettyChannel channel = new NettyChannel(socket, got, pool, Duration.ofMinutes(10));
        socket.pipeline().addLast(channel);
        if (trusted) {
            channel.trust();
        }
        for (int at = 0; at < stream.length && socket.isOpen(); at += piece) {
            socket.writeInbound(Unpooled.wrappedBuffer(stream, at, Math.min(piece, stream.length - at)));
        }
        PsException told = got.told;
        socket.finishAndReleaseAll();
        got.told = told;
        return got;
    }
}
