package io.psf.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException.Code;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.runtime.spi.transport.Frame;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What fuzzing, or reading for it, has found. */
final class RegressionsTest {
    @Test
    void aConnectionSaysHelloOnce() throws Exception {
        try (Host host = new Host()) {
            Wire wire = new Wire();
            assertThat(status(host, wire, host.hello(wire, 1))).isEqualTo(Code.OK);
            assertThat(status(host, wire, host.hello(wire, 2))).isEqualTo(Code.BAD_REQUEST);
            wire.breakOff();
            host.connections().setPresence((member, since) -> false); // the worker has left
            host.connections().expire();
            Wire next = new Wire();
            assertThat(status(host, next, host.hello(next, 1))).isEqualTo(Code.OK);
        }
    }

    /** A fast machine made more calls of a server than its worker could leave unread. */
    @Test
    void theHostGoesOnAfterMoreAnswersThanAWorkerMayLeaveUnread() {
        Sample<?, ?> pull = new Sample<>(DensePullPsf.FUNCTION, new DensePull.Request(Sample.TENSOR));
        try (Host host = new Host()) {
            for (long bytes = 0; bytes < 5 << 20; bytes += host.answers().get(0).length) {
                host.call(pull);
            }
        }
    }

    private static Code status(Host host, Wire wire, byte[] request) throws InterruptedException {
        Bytes.answers(request, 1);
        wire.receive(host.dispatcher(), Bytes.arrived(host.pool(), request));
        byte[] answer = wire.sent().poll(20, TimeUnit.SECONDS);
        assertThat(answer).isNotNull();
        Frame frame = Bytes.arrived(host.pool(), answer);
        return frame.status();
    }
}
