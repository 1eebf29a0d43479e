package io.psf.runtime.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A session without a channel lasts as long as its node says. */
final class SessionLimitTest {
    private final FramePool pool = new FramePool(1 << 20);

    @Test
    void aSessionWithoutAChannelEndsAtTheLimit() {
        Sessions sessions = new Sessions(pool);
        RecordedChannel channel = new RecordedChannel();
        Connection connection =
                new Connection(channel, pool, 1 << 20, new Admission("test", pool, () -> true, () -> false, () -> {}));
        sessions.open(connection, new Member(Role.WORKER, 0, "", 0), 1, 7);
        connection.detach(channel);
        sessions.keepDetached(Duration.ofHours(1));
        assertThat(sessions.overdue(Presence.ALWAYS)).isEmpty();
        sessions.keepDetached(Duration.ZERO);
        assertThat(sessions.overdue(Presence.ALWAYS)).containsExactly(connection);
    }
}
