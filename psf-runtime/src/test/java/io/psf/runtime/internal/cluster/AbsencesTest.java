package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node whose process has ended is found by its closed connection, and a node that lives is not. */
final class AbsencesTest {
    private static final FramePool POOL = new FramePool(1 << 20);
    private static final ClusterPlan PLAN = new ClusterPlan(
            1,
            1,
            false,
            false,
            new ClusterPlan.Limits(
                    Duration.ZERO, Duration.ofHours(1), Duration.ZERO, Duration.ZERO, Duration.ZERO, () -> 0),
            Trust.of(null, null));
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(50);

    private final Deque<CompletableFuture<Boolean>> asked = new ArrayDeque<>();
    private final Absences absences = new Absences(PLAN, this::ask);
    private final RecordedChannel channel = new RecordedChannel();

    private CompletableFuture<Boolean> ask(Member server) {
        assertThat(server.address()).isEqualTo("host:4081");
        asked.add(new CompletableFuture<>());
        return asked.getLast();
    }

    /** Returns a node that has been heard, and whose connection is closed. */
    private MemberEntry closed(Role role) {
        boolean listens = role == Role.SERVER;
        Join.Request request = Join.Request.of(role, 0, listens ? "host" : "", listens ? 4081 : 0);
        Admission admission = new Admission("test", POOL, () -> true, () -> false, () -> {});
        MemberEntry entry = new MemberEntry(new Connection(channel, POOL, 1 << 20, admission), request, 0);
        entry.heard(0);
        channel.close();
        return entry;
    }

    private @Nullable String after(int ticks, MemberEntry entry) {
        String ended = null;
        for (int i = 0; i < ticks && ended == null; i++) {
            ended = absences.lost(entry, TICK);
        }
        return ended;
    }

    @Test
    void aWorkerIsLostThatHasHadNoConnectionForASecond() {
        MemberEntry worker = closed(Role.WORKER);
        assertThat(after(19, worker)).isNull();
        assertThat(after(1, worker))
                .isEqualTo("no connection to the scheduler for 1000 ms after the end of the last one");
    }

    @Test
    void aConnectionBeginsTheSecondAnew() {
        MemberEntry worker = closed(Role.WORKER);
        assertThat(after(19, worker)).isNull();
        Connection gone = worker.connection;
        worker.connection = new Connection(
                new RecordedChannel(), POOL, 1 << 20, new Admission("test", POOL, () -> true, () -> false, () -> {}));
        assertThat(after(100, worker)).isNull();
        worker.connection = gone;
        assertThat(after(19, worker)).isNull();
        assertThat(after(1, worker)).isNotNull();
    }

    /** The network breaks each of them before the next tick. */
    @Test
    void aConnectionBetweenTwoTicksCountsToo() {
        MemberEntry worker = closed(Role.WORKER);
        for (int i = 0; i < 100; i++) {
            assertThat(after(10, worker)).isNull();
            Channel again = new RecordedChannel();
            worker.connection.moveTo(again, i + 1);
            again.close();
        }
        assertThat(after(20, worker)).isNotNull();
    }

    @Test
    void aServerIsLostThatRefusesConnectionsAsWell() {
        MemberEntry server = closed(Role.SERVER);
        assertThat(after(19, server)).isNull();
        assertThat(asked).isEmpty();
        assertThat(after(100, server)).as("before it is known").isNull();
        assertThat(asked).hasSize(1);
        asked.remove().complete(false); // a process takes the connection
        assertThat(after(20, server)).isNull();
        assertThat(asked).as("asked a second later").isEmpty();
        assertThat(after(1, server)).isNull();
        asked.remove().complete(true);
        assertThat(after(1, server))
                .isEqualTo("no connection to the scheduler for 1000 ms, and the server refuses connections");
    }

    @Test
    void aSchedulerThatWasStoppedLosesNobody() {
        MemberEntry worker = closed(Role.WORKER);
        assertThat(absences.lost(worker, TimeUnit.SECONDS.toNanos(60))).isNull();
    }

    /** A node of the journal has not been heard: it has the time of the scheduler's return. */
    @Test
    void clientsAndNodesOfTheJournalAreNotLost() {
        assertThat(after(1000, closed(Role.CLIENT))).isNull();
        MemberEntry restored = closed(Role.WORKER);
        restored.confirmed = false;
        assertThat(after(1000, restored)).isNull();
    }

    /** It was killed while the scheduler was away: its port is closed, and workers wait for the one in its place. */
    @Test
    void aServerOfTheJournalIsLostThatRefusesConnections() {
        MemberEntry restored = closed(Role.SERVER);
        restored.confirmed = false;
        assertThat(after(1000, restored)).as("not admitted").isNull();
        restored.admitted = true;
        restored.lastSeen = TimeUnit.HOURS.toNanos(1);
        assertThat(after(20, restored)).isNull();
        asked.remove().complete(false);
        assertThat(after(21, restored)).isNull();
        asked.remove().complete(true);
        assertThat(after(1, restored)).endsWith("and the server refuses connections");
    }

    /** A scheduler that is away for minutes knows of no loss meanwhile. */
    @Test
    void workersLookForAServerUntilItsLossIsKnown() {
        assertThat(new Join.Limits(10_000, 10_000, 0).loss()).isEqualTo(Duration.ofSeconds(15));
        assertThat(new Join.Limits(10_000, 600_000, 0).loss()).isEqualTo(Duration.ofMinutes(15));
    }
}
