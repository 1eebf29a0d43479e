package io.psf.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.call.Call;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** The calling side and the generated merges, on answers that were changed on the way. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class AnswerFuzzTest {
    private static final long LIMIT = TimeUnit.MINUTES.toNanos(10);
    private static final FramePool POOL = new FramePool(1 << 20);
    private static final List<Answered> ANSWERED = answered();

    private record Answered(Sample<?, ?> sample, List<byte[]> frames) {}

    private static List<Answered> answered() {
        List<Answered> answered = new ArrayList<>();
        try (Host host = new Host()) {
            for (Sample<?, ?> sample : Sample.ALL) {
                host.call(sample);
                answered.add(new Answered(sample, host.answers()));
            }
        }
        return answered;
    }

    static Stream<byte[]> seeds() {
        return Seeds.of(ANSWERED.size());
    }

    @MethodSource("seeds")
    @FuzzTest
    void aCallEndsWithAnAnswerOrOneError(byte[] script) {
        Script edits = new Script(script);
        Answered answered = ANSWERED.get(edits.next() % ANSWERED.size());
        List<byte[]> frames = new ArrayList<>();
        long length = 0;
        for (byte[] valid : answered.frames()) {
            byte[] frame = edits.edited(Bytes.withCall(valid, 1));
            if (Bytes.isWhole(frame)) {
                frames.add(frame);
                length += frame.length;
            }
        }
        Allocation.bounded(length, 0, () -> merge(answered.sample(), frames));
    }

    private static <Q, R> void merge(Sample<Q, R> sample, List<byte[]> frames) {
        CallClient client = new CallClient(POOL);
        Wire wire = new Wire();
        Peer server = client.connect(to(wire), "", 0, "server 0");
        Call<R> call = client.start(client.onShards(
                sample.function(),
                sample.request(),
                null,
                Sample.LAYOUT,
                tensor -> Sample.LAYOUT,
                Collections.nCopies(Sample.LAYOUT.slices(), server),
                CallLimits.of(LIMIT)));
        try {
            for (byte[] frame : frames) {
                wire.receive(Bytes.arrived(POOL, frame));
            }
            client.failAll(new PsException(Code.CLOSED, "the end"));
            call.await();
        } catch (PsException e) {
            boolean defective = e.code() == Code.INTERNAL || e.code() == Code.CALLER_FAILED;
            if (defective && e.getCause() instanceof RuntimeException defect) {
                throw defect;
            }
        }
    }

    private static Transport to(Wire wire) {
        return new Transport() {
            @Override
            public Listener listen(String host, int port, Acceptor acceptor) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Channel connect(String host, int port, Acceptor acceptor) {
                wire.accept(acceptor);
                return wire;
            }

            @Override
            public void close() {}
        };
    }
}
