package io.psf.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.psf.api.PsException.Code;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.provider.MethodSource;

/** A whole server, to which a worker sends frames that were changed on the way: it answers each, and goes on. */
@EnabledIf("io.psf.fuzz.Natives#areThere")
@Tag("long")
final class DispatcherFuzzTest {
    private static final Host HOST = new Host();
    private static final List<byte[]> REQUESTS = requests();
    private static final Sample<?, ?> GOOD = new Sample<>(DensePullPsf.FUNCTION, new DensePull.Request(Sample.TENSOR));

    private static List<byte[]> requests() {
        List<byte[]> requests = new ArrayList<>();
        requests.add(HOST.hello());
        requests.add(Bytes.done());
        for (Sample<?, ?> sample : Sample.ALL) {
            HOST.call(sample);
            requests.addAll(HOST.requests());
        }
        byte[] last = requests.get(requests.size() - 1);
        requests.add(Bytes.chain(last, requests.get(2)));
        requests.add(Bytes.chain(last, Bytes.chain(last, last)));
        int calls = requests.size() - 2;
        for (int i = 2; i < calls; i++) {
            requests.add(Bytes.step(requests.get(i), new byte[0], i, 0));
        }
        requests.add(Bytes.step(requests.get(2), last, -1, 1));
        return requests;
    }

    private static long sessions;

    static Stream<byte[]> seeds() {
        return Seeds.of(REQUESTS.size());
    }

    @MethodSource("seeds")
    @FuzzTest
    void aServerAnswersEachRequestAndGoesOn(byte[] script) throws Exception {
        Script edits = new Script(script);
        Wire wire = new Wire();
        boolean isKnown = (edits.next() & 3) != 3;
        if (isKnown) {
            send(wire, HOST.hello(wire, ++sessions));
            if (check(answer(wire)) != Code.OK) {
                throw new AssertionError("hello: refused (expected: a session)");
            }
        }
        int expected = 0;
        for (int i = 0; i < 4 && (i == 0 || edits.hasMore()); i++) {
            byte[] frame = edits.edited(REQUESTS.get(edits.next() % REQUESTS.size()));
            if (Bytes.isWhole(frame) && (isKnown || Bytes.isRequest(frame))) { // else the connection ends
                expected += Bytes.answers(frame, 1 + expected);
                send(wire, frame);
            }
        }
        for (int i = 0; i < expected; i++) {
            check(answer(wire));
        }
        Connection its = HOST.connections().get(wire);
        if (its != null) {
            HOST.connections().drop(its); // its worker may have 16 sessions
        }
        HOST.connections().expire();
        HOST.call(GOOD);
    }

    private static void send(Wire wire, byte[] bytes) {
        wire.receive(HOST.dispatcher(), Bytes.arrived(HOST.pool(), bytes));
    }

    private static byte[] answer(Wire wire) throws InterruptedException {
        byte[] answer = wire.sent().poll(10, TimeUnit.SECONDS);
        if (answer == null) {
            throw new AssertionError("answer: none after 10 s (expected: one to each request)");
        }
        return answer;
    }

    private static Code check(byte[] answer) {
        Frame frame = Bytes.arrived(HOST.pool(), answer);
        try {
            if (frame.kind() != Frame.Kind.ANSWER) {
                throw new AssertionError("kind of an answer: " + frame.kind());
            }
            Code code = frame.status();
            if (code != Code.OK) {
                String why = frame.reader(null).string();
                if (code == Code.INTERNAL || code == Code.HANDLER_FAILED) {
                    throw new AssertionError(code + ": " + why);
                }
            }
            return code;
        } finally {
            frame.release();
        }
    }
}
