package io.psf.runtime.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Member;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.KeptAnswers;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RecordedChannel;
import io.psf.runtime.spi.transport.RequestHeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The answers of a slice's calls move from the sessions of one node to those of another. */
final class SliceAnswersTest {
    private static final Member WORKER = new Member(Role.WORKER, 0, "", 0);
    private static final int TENSOR = 7;
    private static final int SLICE = 3;

    private final FramePool pool = new FramePool(1 << 20);
    private final Admission admission = new Admission("test", pool, () -> false, () -> false, () -> {});
    private final Sessions first = new Sessions(pool);
    private final Sessions second = new Sessions(pool);

    @AfterEach
    void close() {
        admission.close();
    }

    private Connection open(Sessions sessions, long session) {
        Connection connection = new Connection(new RecordedChannel(), pool, 1 << 20, admission);
        sessions.open(connection, WORKER, 1, session);
        return connection;
    }

    /** The periodic check once ended a session between its entry and the entry of its member. */
    @Test
    void noSessionIsOverdueWhileItIsOpened() throws InterruptedException {
        AtomicBoolean isOpening = new AtomicBoolean(true);
        Set<Long> overdue = ConcurrentHashMap.newKeySet();
        Thread check = new Thread(() -> {
            while (isOpening.get()) {
                first.overdue(Presence.ALWAYS).forEach(each -> overdue.add(each.session()));
            }
        });
        check.start();
        for (long session = 1; session <= 2000; session++) {
            open(first, session);
        }
        isOpening.set(false);
        check.join();
        assertThat(overdue).isEmpty();
    }

    /** Returns the answer to a call that has failed. */
    private Frame failed(long call) {
        FunctionInfo info = FunctionInfo.of("test.fail", Place.SHARD, false, "int -> int");
        RequestHeader.Target target = new RequestHeader.Target(TENSOR, SLICE, (short) 0);
        Frame request = Frames.request(pool, new RequestHeader(info, target, call, 1000, 0, 0), new TupleWriter());
        Frame answer = Frames.failure(pool, request, call, new PsException(Code.BAD_REQUEST, "because"));
        request.release();
        return answer;
    }

    private static boolean hasAnswer(Connection connection, long call) {
        return connection.answers().find(call, SLICE) != null;
    }

    @Test
    void anAnswerWithAnErrorMovesToo() throws IOException {
        open(first, 1).answers().keep(failed(10));
        Connection moved = open(second, 1);
        new SliceAnswers(first, TENSOR + 1, SLICE).save(new SliceAnswers(second, TENSOR, SLICE)::load);
        assertThat(hasAnswer(moved, 10)).isFalse();
        new SliceAnswers(first, TENSOR, SLICE).save(new SliceAnswers(second, TENSOR, SLICE)::load);
        assertThat(hasAnswer(moved, 10)).isTrue();
    }

    /** The hello of the first one may not have been answered. */
    @Test
    void answersOfAMemberWithoutASessionAreInEachOfItsLaterSessions() throws IOException {
        open(first, 1).answers().keep(failed(10));
        new SliceAnswers(first, TENSOR, SLICE).save(new SliceAnswers(second, TENSOR, SLICE)::load);
        assertThat(hasAnswer(open(second, 1), 10)).isTrue();
        assertThat(second.overdue(Presence.ALWAYS)).isEmpty();
        assertThat(hasAnswer(open(second, 2), 10)).isTrue();
        assertThat(second.overdue((member, since) -> false)).hasSize(2);
        assertThat(hasAnswer(open(second, 3), 10)).as("the member has left").isFalse();
    }

    @Test
    void aFailedSaveReleasesAllFrames() {
        Connection connection = open(first, 1);
        for (long call = 10; call < 14; call++) {
            connection.answers().keep(failed(call));
        }
        assertThatThrownBy(() -> new SliceAnswers(first, TENSOR, SLICE).save(entry -> {
                    throw new IOException("full");
                }))
                .hasMessage("full");
        assertThat(pool.usedBytes()).isPositive();
        assertThat(connection.answers().doneBelow(20)).isEmpty();
        assertThat(pool.usedBytes()).isZero();
    }

    @Test
    void anAnswerThatIsDroppedDuringTheSaveIsSaved() throws IOException {
        Connection connection = open(first, 1);
        connection.answers().keep(failed(10));
        connection.answers().forgetUpTo(5);
        List<KeptAnswers.Entry> entries = new ArrayList<>();
        new SliceAnswers(first, TENSOR, SLICE).save(entry -> {
            assertThat(connection.answers().doneBelow(11)).isEmpty();
            connection.answers().forgetUpTo(10);
            entries.add(entry);
        });
        assertThat(entries).extracting(KeptAnswers.Entry::call).containsExactly(5L, 10L);
    }
}
