package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Random histories of the barrier: the calls that are answered are those of a model. */
final class BarriersLawTest {
    private static final int HISTORIES = 500 * Integer.getInteger("psf.laws.times", 1);
    private static final int STEPS = 60;
    private static final int RANKS = 5;

    /** A call, and what the model says of it. */
    private static final class Call {
        final int worker;
        CompletableFuture<Barrier.Response> answer;
        boolean hasOpened;
        boolean isRolledBack;
        boolean isTimedOut;
        boolean isOfBefore;

        Call(int worker, CompletableFuture<Barrier.Response> answer) {
            this.worker = worker;
            this.answer = answer;
        }
    }

    private Journal journal = Journal.after(new JournalState(), Tickets.fresh());
    private Barriers barriers = new Barriers(journal);
    private final List<Call> calls = new ArrayList<>();
    /** Oldest first, those that the model neither opens nor drops. */
    private final List<Call> waiting = new ArrayList<>();

    private final Set<Integer> present = new TreeSet<>();
    private final Set<Integer> counted = new TreeSet<>();
    private int opened;
    private long rollback;

    /** Opens each barrier that all of its workers have called. */
    private void open() {
        waiting.removeIf(call -> !present.contains(call.worker));
        while (!waiting.isEmpty()) {
            counted.retainAll(present);
            if (counted.isEmpty()) {
                counted.addAll(present);
            }
            Set<Integer> here = new TreeSet<>();
            List<Call> first =
                    waiting.stream().filter(call -> here.add(call.worker)).toList();
            if (!here.containsAll(counted)) {
                return;
            }
            first.stream().filter(call -> counted.contains(call.worker)).forEach(call -> {
                call.hasOpened = true;
                waiting.remove(call);
            });
            counted.clear();
            opened++;
        }
        counted.clear();
    }

    private void call(int worker) {
        if (waiting.isEmpty()) {
            counted.clear();
        }
        Call call = new Call(worker, barriers.call(new CallInfo(worker, calls.size(), 0), rollback));
        calls.add(call);
        waiting.add(call);
        open();
    }

    /** Writes down a change of the state. */
    private void write(ClusterChange.Nodes nodes) {
        long epoch = journal.state().state().epoch();
        List<JournalEntry.Seat> seats = nodes.joined().stream()
                .map(node -> new JournalEntry.Seat(Role.WORKER, node.member().rank(), -1, 1, false, ""))
                .toList();
        journal.changed(new ClusterChange(epoch, epoch + 1, nodes, List.of(), List.of()), seats);
    }

    private void join(int worker) {
        if (present.add(worker)) {
            Member member = new Member(Role.WORKER, worker, "", 0);
            ClusterChange.Node node =
                    new ClusterChange.Node(member, journal.state().state().epoch() + 1);
            write(new ClusterChange.Nodes(List.of(node), List.of(), List.of(), List.of(), List.of(), null));
        }
        change();
    }

    private void leave(int worker) {
        if (present.remove(worker)) {
            calls.stream().filter(call -> call.worker == worker).forEach(call -> call.isOfBefore = true);
            write(ClusterChange.Nodes.gone(List.of(new ClusterChange.Place(Role.WORKER, worker)), List.of()));
        }
        change();
    }

    private List<Member> members() {
        List<Member> members = new ArrayList<>(List.of(new Member(Role.SERVER, 0, "host", 1)));
        present.forEach(worker -> members.add(new Member(Role.WORKER, worker, "", 0)));
        return members;
    }

    private void change() {
        barriers.membersChanged(members());
        open();
    }

    /**
     * Another scheduler goes on from the journal: the workers send their calls again, also those whose answers they
     * have.
     */
    private void restart(Random random) {
        journal = Journal.after(journal.state(), journal.tickets());
        barriers = new Barriers(journal);
        barriers.membersChanged(members());
        List<Integer> numbers = new ArrayList<>();
        for (int number = 0; number < calls.size(); number++) {
            if (waiting.contains(calls.get(number)) || hasOpenedLast(number)) {
                numbers.add(number);
            }
        }
        List<Integer> workers = new ArrayList<>(present);
        Collections.shuffle(workers, random);
        numbers.sort(
                Comparator.comparingInt(number -> workers.indexOf(calls.get(number).worker))); // each one's in order
        for (int number : numbers) {
            Call call = calls.get(number);
            call.answer = barriers.call(new CallInfo(call.worker, number, 0), rollback);
        }
    }

    /** True for a worker's latest call, if it has opened: the answer may have been lost. */
    private boolean hasOpenedLast(int number) {
        Call call = calls.get(number);
        return call.hasOpened
                && !call.isOfBefore
                && calls.subList(number + 1, calls.size()).stream().noneMatch(later -> later.worker == call.worker);
    }

    private void timeOut(Random random) {
        if (!waiting.isEmpty()) {
            Call call = waiting.remove(random.nextInt(waiting.size()));
            call.isTimedOut = true;
            call.answer.completeExceptionally(new TimeoutException());
            barriers.expire();
        }
    }

    private void rollBack(long epoch) {
        rollback = epoch;
        write(ClusterChange.Nodes.recovery(new ClusterChange.Recovery(List.of(), epoch, List.of())));
        barriers.rollBack(epoch);
        waiting.forEach(call -> call.isRolledBack = true);
        waiting.clear();
        counted.clear();
        assertThat(catchThrowable(() -> barriers.call(new CallInfo(0, calls.size(), 0), epoch - 1)))
                .contains("ROLLED_BACK");
    }

    private static String catchThrowable(Runnable call) {
        try {
            call.run();
            return "nothing";
        } catch (PsException e) {
            return e.code().name();
        }
    }

    private void step(Random random) {
        int worker = random.nextInt(RANKS);
        switch (random.nextInt(12)) {
            case 0 -> join(worker);
            case 1 -> leave(worker);
            case 2 -> {
                if (random.nextBoolean()) {
                    timeOut(random);
                } else if (random.nextInt(4) == 0) {
                    restart(random);
                }
            }
            case 3 -> {
                if (random.nextInt(8) == 0) {
                    rollBack(journal.state().state().epoch() + 1);
                }
            }
            default -> {
                if (present.contains(worker)) {
                    call(worker);
                }
            }
        }
        for (Call each : calls) {
            boolean isOver = each.hasOpened || each.isRolledBack || each.isTimedOut;
            assertThat(each.answer.isDone())
                    .as("a call of worker %d", each.worker)
                    .isEqualTo(isOver);
            assertThat(each.answer.isCompletedExceptionally()).isEqualTo(each.isRolledBack || each.isTimedOut);
        }
        Set<Integer> without = new LinkedHashSet<>(counted);
        waiting.forEach(call -> without.remove(call.worker));
        if (!waiting.isEmpty() && waiting.get(0).answer instanceof DeferredAnswer<?> last) {
            assertThat(last.reason().text()).startsWith("workers that have not called the barrier: " + without);
        }
    }

    @Test
    void theCallsThatAreAnsweredAreThoseOfTheModel() {
        int barriersOpened = 0;
        for (long seed = 0; seed < HISTORIES; seed++) {
            BarriersLawTest run = new BarriersLawTest();
            Random random = new Random(seed);
            try {
                for (int step = 0; step < STEPS; step++) {
                    run.step(random);
                }
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + ", " + run.calls.size() + " calls", e);
            }
            barriersOpened += run.opened;
        }
        assertThat(barriersOpened).isGreaterThan(HISTORIES);
    }

    @Test
    void aMessageNamesTwentyWorkersAtMost() {
        for (int worker = 0; worker < 10_000; worker++) {
            present.add(worker);
        }
        change();
        call(0);
        DeferredAnswer<?> answer = (DeferredAnswer<?>) calls.get(0).answer;
        assertThat(answer.reason().text())
                .contains("[1, 2, 3,")
                .contains("20] and 9979 others")
                .hasSizeLessThan(300);
    }
}
