package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.ClusterChange.Loss;
import io.psf.runtime.internal.cluster.ClusterChange.Model;
import io.psf.runtime.internal.cluster.ClusterChange.Node;
import io.psf.runtime.internal.cluster.ClusterChange.Nodes;
import io.psf.runtime.internal.cluster.ClusterChange.Place;
import io.psf.runtime.internal.cluster.ClusterChange.Recovery;
import io.psf.runtime.internal.cluster.JournalEntry.BarrierStep;
import io.psf.runtime.internal.cluster.JournalEntry.Call;
import io.psf.runtime.internal.cluster.JournalEntry.Mark;
import io.psf.runtime.internal.cluster.JournalEntry.Seat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class JournalTest {
    private static final Node SERVER = new Node(new Member(Role.SERVER, 0, "localhost", 4081), 1);
    private static final Node WORKER = new Node(new Member(Role.WORKER, 0, "", 0), 1);
    private static final Node OTHER = new Node(new Member(Role.WORKER, 1, "", 0), 2);
    private static final List<Integer> OWNERS = ClusterState.even(1);

    @TempDir
    Path folder;

    private Path file() {
        return folder.resolve("scheduler.journal");
    }

    private static Seat seat(Node node, long session) {
        return new Seat(node.member().role(), node.member().rank(), -1, session, false, "");
    }

    private static ClusterChange change(long from, Nodes nodes) {
        return new ClusterChange(from, from + 1, nodes, List.of(), List.of());
    }

    private static ClusterChange joined(long from, Node... nodes) {
        return change(from, new Nodes(List.of(nodes), List.of(), List.of(), List.of(), OWNERS, null));
    }

    /** Forms a cluster of a server and a worker. */
    private static void form(Journal journal) {
        journal.changed(joined(0, SERVER, WORKER), List.of(seat(SERVER, 11), seat(WORKER, 12)));
    }

    private static Call call(int worker, long call) {
        return new Call(worker, call);
    }

    private static void called(Journal journal, Call call) {
        journal.barrier(BarrierStep.called(call));
    }

    /** Returns what a scheduler that is started again finds. */
    private JournalEntry.Request found() {
        try (Journal journal = Journal.in(folder, 1)) {
            return journal.state().whole();
        }
    }

    private List<Seat> seats() {
        return Objects.requireNonNull(found().step()).seats();
    }

    @Test
    void aSchedulerThatIsStartedAgainFindsWhatWasWritten() {
        JournalEntry.Request written;
        Tickets tickets;
        try (Journal journal = Journal.in(folder, 1)) {
            tickets = journal.tickets();
            form(journal);
            journal.changed(joined(1, OTHER), List.of(seat(OTHER, 13)));
            called(journal, call(0, 5));
            journal.barrier(BarrierStep.counted(List.of(0, 1)));
            called(journal, call(1, 7));
            journal.barrier(BarrierStep.opened(List.of(call(0, 5), call(1, 7))));
            called(journal, call(1, 8));
            journal.barrier(BarrierStep.counted(List.of(0, 1)));
            journal.reserveClient(0);
            written = journal.state().whole();
        }
        try (Journal journal = Journal.in(folder, 1)) {
            assertThat(journal.state().whole()).usingRecursiveComparison().isEqualTo(written);
            assertThat(journal.tickets().cluster()).isEqualTo(tickets.cluster());
            assertThat(journal.tickets().of(Role.WORKER, 1, 2).secret())
                    .isEqualTo(tickets.of(Role.WORKER, 1, 2).secret());
            assertThat(journal.state().seat(OTHER)).isEqualTo(seat(OTHER, 13));
            assertThat(journal.state().barrier())
                    .isEqualTo(new BarrierStep(
                            List.of(call(1, 8)), List.of(0, 1), List.of(call(0, 5), call(1, 7)), List.of()));
            assertThat(journal.state().clientsBefore()).isEqualTo(1024);
        }
    }

    @Test
    void aCallRunsOnceAlsoWithAnotherScheduler() {
        int[] runs = new int[1];
        for (int start = 0; start < 3; start++) {
            try (Journal journal = Journal.in(folder, 1)) {
                if (start == 0) {
                    form(journal);
                }
                long epoch = journal.state().state().epoch();
                journal.run(new CallInfo(0, 9, 0), () -> {
                    runs[0]++;
                    journal.changed(change(epoch, Nodes.NONE), List.of());
                });
            }
        }
        assertThat(runs[0]).isEqualTo(1);
    }

    @Test
    void aLostWorkerWaitsAtNoBarrier() {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            called(journal, call(0, 5));
            journal.barrier(BarrierStep.counted(List.of(0)));
            journal.changed(
                    change(
                            1,
                            Nodes.gone(
                                    List.of(Place.of(WORKER.member())),
                                    List.of(new Loss(WORKER.member(), "killed", false)))),
                    List.of());
        }
        assertThat(found().barrier()).isEqualTo(BarrierStep.NONE);
        assertThat(seats()).containsExactly(seat(SERVER, 11));
    }

    @Test
    void aLoadIsDueFromTheRollbackUntilAllHaveLoaded() {
        Recovery recovery = new Recovery(List.of(new Model("m", true)), 2, List.of());
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            called(journal, call(0, 5));
            assertThat(journal.state().isLoadDue()).isFalse();
            journal.changed(change(1, Nodes.recovery(recovery)), List.of());
        }
        try (Journal journal = Journal.in(folder, 1)) {
            assertThat(journal.state().isLoadDue()).isTrue();
            assertThat(journal.state().barrier()).isEqualTo(BarrierStep.NONE);
            journal.mark(Mark.LOADED);
        }
        try (Journal journal = Journal.in(folder, 1)) {
            assertThat(journal.state().isLoadDue()).isFalse();
        }
    }

    /** Nobody waits for a call that has timed out, neither before nor after the scheduler is started again. */
    @Test
    void aCallThatWasGivenUpDoesNotWait() {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            called(journal, call(0, 5));
            journal.barrier(BarrierStep.counted(List.of(0)));
            journal.barrier(BarrierStep.dropped(List.of(call(0, 5))));
        }
        assertThat(found().barrier()).isEqualTo(BarrierStep.NONE);
    }

    /** A machine that failed may have left zeros in the place of what was written last. */
    @Test
    void zerosAtTheEndAreLeftOut() throws IOException {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
        }
        byte[] whole = Files.readAllBytes(file());
        Files.write(file(), java.util.Arrays.copyOf(whole, whole.length + 1000));
        assertThat(seats()).hasSize(2);
    }

    /** What an ended scheduler writes does not reach the file: it may be another one's. */
    @Test
    void nothingIsWrittenAfterTheEnd() throws IOException {
        Journal ended = Journal.in(folder, 1);
        form(ended);
        ended.close();
        byte[] left = Files.readAllBytes(file());
        called(ended, call(0, 5));
        called(ended, call(0, 6));
        ended.delete();
        assertThat(file()).hasBinaryContent(left);
    }

    @Test
    void theTicketsOfAClusterThatIsFollowedByANewOneAreWorthless() {
        long before;
        byte[] secret;
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            before = journal.tickets().cluster();
            secret = journal.tickets().of(Role.CLIENT, 3, 0).secret();
            journal.renew();
            assertThat(journal.tickets().cluster()).isNotEqualTo(before);
        }
        try (Journal journal = Journal.in(folder, 1)) {
            assertThat(journal.tickets().cluster()).isNotEqualTo(before);
            assertThat(journal.tickets().of(Role.CLIENT, 3, 0).secret()).isNotEqualTo(secret);
        }
    }

    /** A killed scheduler leaves a part of an entry: nobody was told of it. */
    @Test
    void anIncompleteLastEntryIsLeftOutWhereverItEnds() throws IOException {
        long before;
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            before = Files.size(file());
            called(journal, call(0, 5));
        }
        byte[] whole = Files.readAllBytes(file());
        for (int length = (int) before; length < whole.length; length++) {
            Files.write(file(), java.util.Arrays.copyOf(whole, length));
            assertThat(found().barrier())
                    .as("%d of %d bytes", length, whole.length)
                    .isEqualTo(BarrierStep.NONE);
        }
        Files.write(file(), whole);
        assertThat(found().barrier().called()).containsExactly(call(0, 5));
    }

    /** A machine that failed may leave a part of an entry, in a file that has its new length. */
    @Test
    void aLastEntryWithZerosIsLeftOutWhereverTheyBegin() throws IOException {
        long before;
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            before = Files.size(file());
            called(journal, call(0, 5));
        }
        byte[] whole = Files.readAllBytes(file());
        for (int length = (int) before; length < whole.length; length++) {
            byte[] torn = java.util.Arrays.copyOf(java.util.Arrays.copyOf(whole, length), whole.length);
            Files.write(file(), torn);
            assertThat(found().barrier().equals(BarrierStep.NONE))
                    .as("%d of %d bytes", length, whole.length)
                    .isEqualTo(!java.util.Arrays.equals(torn, whole));
        }
    }

    @Test
    void aDamagedJournalIsRefusedWithItsPlace() throws IOException {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            called(journal, call(0, 5));
        }
        byte[] whole = Files.readAllBytes(file());
        int refused = 0;
        for (int at = 0; at < whole.length - 100; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(file(), damaged);
            try (Journal journal = Journal.in(folder, 1)) {
                assertThat(journal.state().barrier()).as("byte %d", at).isEqualTo(BarrierStep.NONE);
            } catch (io.psf.api.PsException e) {
                assertThat(e).hasMessageContaining("PSF_JOURNAL: " + file() + ", byte ");
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(whole.length / 2);
    }

    @Test
    void anotherFileIsRefusedAndLeftAsItIs() throws IOException {
        Files.writeString(file(), "a file of the user's");
        assertThatThrownBy(() -> Journal.in(folder, 1)).hasMessageContaining("no journal (expected: a journal of this");
        assertThat(file()).hasContent("a file of the user's");
    }

    @Test
    void twoSchedulersDoNotShareAFolder() {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            assertThatThrownBy(() -> Journal.in(folder, 1)).hasMessageContaining("is in use by another scheduler");
        }
        assertThat(seats()).hasSize(2);
    }

    @Test
    void aClusterOfOtherSizeIsRefused() {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
        }
        assertThatThrownBy(() -> Journal.in(folder, 3)).hasMessageContaining("servers: 3 (expected: 1, as the cluster");
    }

    @Test
    void aFileInThePlaceOfTheFolderIsRefused() throws IOException {
        Path taken = Files.createFile(folder.resolve("taken"));
        assertThatThrownBy(() -> Journal.in(taken, 1))
                .hasMessageContaining("expected: a folder that can be written to");
    }

    @Test
    void theOwnerAloneReadsTheKey() throws IOException {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
    }

    @Test
    void theFileOfAClusterThatHasEndedIsGone() {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            journal.mark(Mark.ENDED);
            journal.delete();
        }
        assertThat(file()).doesNotExist();
    }

    @Test
    void aClusterWhoseNodesHaveAllLeftIsFollowedByANewOne() {
        Tickets before;
        try (Journal journal = Journal.in(folder, 1)) {
            before = journal.tickets();
            form(journal);
            journal.mark(Mark.ENDED);
            journal.changed(
                    change(1, Nodes.gone(List.of(Place.of(SERVER.member()), Place.of(WORKER.member())), List.of())),
                    List.of());
        }
        try (Journal journal = Journal.in(folder, 2)) {
            assertThat(journal.state().state().epoch()).isZero();
            assertThat(journal.tickets().cluster()).isNotEqualTo(before.cluster());
        }
    }

    /** Barriers alone add entries for ever; the file is made anew meanwhile. */
    @Test
    void theFileDoesNotGrowForEver() throws IOException {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            for (int i = 0; i < 400_000; i++) {
                called(journal, call(0, i));
                journal.barrier(BarrierStep.opened(List.of(call(0, i))));
            }
        }
        assertThat(Files.size(file())).isLessThan(20 << 20);
        assertThat(found().barrier().opened()).containsExactly(call(0, 399_999));
    }

    /** A cluster goes on without its journal, but never from an old one. */
    @Test
    void aJournalThatCannotBeWrittenIsDeletedAndBeginsAgain() throws IOException {
        try (Journal journal = Journal.in(folder, 1)) {
            form(journal);
            journal.breakFile();
            called(journal, call(0, 5));
            assertThat(file()).doesNotExist();
            await().forever().until(() -> {
                called(journal, call(0, 6));
                return Files.exists(file());
            });
        }
        assertThat(found().barrier().called()).containsExactly(call(0, 5), call(0, 6));
    }
}
