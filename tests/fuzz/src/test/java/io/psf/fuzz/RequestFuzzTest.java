package io.psf.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.api.PsException;
import io.psf.api.array.SharedArray;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** The generated codecs of requests, on frames that were changed on the way. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class RequestFuzzTest {
    private static final FramePool POOL = new FramePool(1 << 20);
    private static final List<Sent> SENT = sent();

    private record Sent(Sample<?, ?> sample, byte[] frame) {}

    private static List<Sent> sent() {
        List<Sent> sent = new ArrayList<>();
        try (Host host = new Host()) {
            for (Sample<?, ?> sample : Sample.ALL) {
                host.call(sample);
                host.requests().forEach(frame -> sent.add(new Sent(sample, frame)));
            }
        }
        return sent;
    }

    static Stream<byte[]> seeds() {
        return Seeds.of(SENT.size());
    }

    @MethodSource("seeds")
    @FuzzTest
    void aRequestIsReadOrRefused(byte[] script) throws Exception {
        Script edits = new Script(script);
        Sent sent = SENT.get(edits.next() % SENT.size());
        byte[] frame = edits.edited(sent.frame());
        if (!Bytes.isWhole(frame)) {
            return; // never gets past the decoder, which has a test of its own
        }
        Allocation.bounded(frame.length, 0, () -> read(sent.sample(), frame, false));
        read(sent.sample(), frame, true);
    }

    private static void read(Sample<?, ?> sample, byte[] bytes, boolean touching) {
        Frame frame = Bytes.arrived(POOL, bytes);
        try {
            Object request = sample.function().read(frame.reader(Sample.TENSOR));
            if (touching) {
                long shared = touch((Record) request);
                if (shared > bytes.length) {
                    throw new AssertionError("bytes of shared arrays: " + shared + " in a frame of " + bytes.length);
                }
            }
        } catch (PsException e) {
            if (e.code() != PsException.Code.PROTOCOL && e.code() != PsException.Code.SCHEMA_MISMATCH) {
                throw e;
            }
        } finally {
            frame.release();
        }
    }

    /** Reads every element of the shared arrays, and answers their bytes. */
    private static long touch(Record tuple) {
        long shared = 0;
        for (RecordComponent component : tuple.getClass().getRecordComponents()) {
            Object value;
            try {
                component.getAccessor().setAccessible(true);
                value = component.getAccessor().invoke(tuple);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(component.toString(), e);
            }
            if (value instanceof SharedArray array) {
                shared += (long) array.copy().length() * array.type().size();
            }
        }
        return shared;
    }
}
