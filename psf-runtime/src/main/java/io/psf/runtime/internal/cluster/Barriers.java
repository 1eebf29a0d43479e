package io.psf.runtime.internal.cluster;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.DeferredAnswer.Reason;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.JournalEntry.BarrierStep;
import io.psf.runtime.internal.cluster.JournalEntry.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The workers that wait at the barrier. A barrier is for the workers that are present when the first of them calls it:
 * it does not wait for workers that join later, whose calls count for the next barrier, nor for workers that have left
 * or are lost. A worker that calls again before the barrier has opened counts for the next one, too. A call that has
 * timed out does not count; once no call waits, the next one begins another barrier. Used on the scheduler's lane.
 */
final class Barriers implements Barrier, MemberListener {
    /** The most ranks that a message has. */
    private static final int MOST_NAMED = 20;

    private final Journal journal;

    /** For each worker rank, its unanswered calls, oldest first. */
    private final Map<Integer, List<WaitingCall>> waiting = new LinkedHashMap<>();

    /** For each worker rank, its latest call of a barrier that has opened. */
    private final Map<Integer, Long> opened = new HashMap<>();

    /** The epoch of the last rollback; 0 for none. */
    private long rollback;

    /** The workers that are present. */
    private Set<Integer> present = Set.of();

    /** The workers of the current barrier; empty while no worker waits. */
    private final Set<Integer> counted = new TreeSet<>();

    /** Those of the current barrier that have not called it. */
    private final Set<Integer> missing = new HashSet<>();

    /**
     * A call that waits.
     *
     * @param isHere false for a call that a scheduler before this one has received: it is sent again, or its worker has
     *     given it up
     */
    private record WaitingCall(long call, CompletableFuture<Response> answer, boolean isHere) {
        boolean isDone() {
            return answer.isDone();
        }
    }

    /** Begins with what the journal has of the barrier. */
    Barriers(Journal journal) {
        this.journal = journal;
        rollback = journal.state().state().recovery().rollback();
        BarrierStep before = journal.state().barrier();
        counted.addAll(before.counted());
        for (Call call : before.called()) {
            calls(call.worker()).add(new WaitingCall(call.call(), new CompletableFuture<>(), false));
        }
        before.opened().forEach(call -> opened.put(call.worker(), call.call()));
    }

    private List<WaitingCall> calls(int worker) {
        return waiting.computeIfAbsent(worker, each -> new ArrayList<>());
    }

    @Override
    public CompletionStage<Response> handle(Request request, Node scheduler) {
        return call(scheduler.call(), request.rollback());
    }

    /** Takes the call of a worker that knows a rollback. */
    CompletableFuture<Response> call(CallInfo call, long known) {
        int worker = call.worker();
        if (worker < 0) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "barrier: called by a client (expected: by a worker, since it is for all workers)");
        }
        if (call.call() <= opened.getOrDefault(worker, -1L)) { // sent again, since its answer was lost
            return CompletableFuture.completedFuture(new Response());
        }
        if (known != rollback) { // it would wait for workers that load a checkpoint
            throw rolledBack();
        }
        dropDone();
        CompletableFuture<Response> answer =
                new DeferredAnswer<>(Reason.of(this::whoIsMissing, () -> new TreeSet<>(missing)));
        List<WaitingCall> calls = calls(worker);
        dropDone(worker, calls);
        dropGivenUp(worker, calls, call.call());
        calls.add(new WaitingCall(call.call(), answer, true));
        journal.barrier(BarrierStep.called(new Call(worker, call.call())));
        boolean isLast = missing.remove(worker) && missing.isEmpty();
        if (isLast || counted.isEmpty()) {
            openAll();
        }
        return answer;
    }

    @Override
    public void membersChanged(List<Member> members) {
        present = workers(members);
        openAll();
    }

    /**
     * Drops the calls that have timed out. Called periodically, so that a scheduler in the place of this one does not
     * count them.
     */
    void expire() {
        waiting.forEach(this::dropDone);
        if (waiting.values().removeIf(List::isEmpty)) {
            if (waiting.isEmpty()) {
                counted.clear();
            }
            missing.clear();
            missing.addAll(counted);
            missing.removeAll(waiting.keySet());
        }
    }

    /** Drops calls that have timed out, up to the first that waits. The barrier is over if none does. */
    private void dropDone() {
        for (Iterator<Map.Entry<Integer, List<WaitingCall>>> i =
                        waiting.entrySet().iterator();
                i.hasNext(); ) {
            Map.Entry<Integer, List<WaitingCall>> first = i.next();
            dropDone(first.getKey(), first.getValue());
            if (!first.getValue().isEmpty()) {
                return;
            }
            i.remove();
            if (counted.contains(first.getKey())) {
                missing.add(first.getKey());
            }
        }
        counted.clear();
        missing.clear();
    }

    /**
     * Drops the calls that an earlier scheduler has received, up to a later call of the worker: this one is sent again,
     * or later.
     */
    private void dropGivenUp(int worker, List<WaitingCall> calls, long later) {
        List<Call> before = calls.stream()
                .filter(each -> !each.isHere && each.call < later)
                .map(each -> new Call(worker, each.call))
                .toList();
        calls.removeIf(each -> !each.isHere && each.call <= later);
        if (!before.isEmpty()) {
            journal.barrier(BarrierStep.dropped(before));
        }
    }

    /** Drops calls of a worker that have timed out, or were cancelled. */
    private void dropDone(int worker, List<WaitingCall> calls) {
        List<Call> done = calls.stream()
                .filter(WaitingCall::isDone)
                .map(each -> new Call(worker, each.call))
                .toList();
        if (!done.isEmpty()) {
            calls.removeIf(WaitingCall::isDone);
            journal.barrier(BarrierStep.dropped(done));
        }
    }

    /** Opens the current barrier, and those after it, as long as every worker of one has called it. */
    private void openAll() {
        waiting.keySet().retainAll(present);
        waiting.forEach(this::dropDone);
        waiting.values().removeIf(List::isEmpty);
        counted.retainAll(present);
        opened.keySet().retainAll(present);
        while (!waiting.isEmpty()) {
            if (counted.isEmpty()) {
                counted.addAll(present);
                journal.barrier(BarrierStep.counted(counted));
            }
            missing.clear();
            missing.addAll(counted);
            missing.removeAll(waiting.keySet());
            if (!missing.isEmpty()) {
                return;
            }
            open();
        }
        counted.clear();
        missing.clear();
    }

    /** Fails the calls from before a rollback: the workers meet again when they load a checkpoint. */
    void rollBack(long epoch) {
        rollback = epoch;
        List<WaitingCall> before =
                waiting.values().stream().flatMap(List::stream).toList();
        waiting.clear();
        counted.clear();
        missing.clear();
        PsException cause = rolledBack();
        before.forEach(each -> each.answer.completeExceptionally(cause));
    }

    private static PsException rolledBack() {
        return new PsException(
                PsException.Code.ROLLED_BACK,
                "barrier: called before a lost node came back (expected: that all workers load the newest checkpoint)");
    }

    private void open() {
        List<Call> through = new ArrayList<>();
        List<WaitingCall> over = new ArrayList<>();
        for (int worker : counted) {
            WaitingCall first = waiting.getOrDefault(worker, List.of()).remove(0); // each has a call
            over.add(first);
            through.add(new Call(worker, first.call));
            opened.put(worker, first.call);
        }
        waiting.values().removeIf(List::isEmpty);
        counted.clear();
        journal.barrier(BarrierStep.opened(through));
        over.forEach(each -> each.answer.complete(new Response()));
    }

    private String whoIsMissing() {
        List<Integer> first = new ArrayList<>();
        int others = 0;
        for (int worker : counted) {
            if (waiting.getOrDefault(worker, List.of()).stream().anyMatch(call -> !call.isDone())) {
                continue;
            }
            if (first.size() < MOST_NAMED) {
                first.add(worker);
            } else {
                others++;
            }
        }
        return "workers that have not called the barrier: " + first + (others == 0 ? "" : " and " + others + " others")
                + " (expected: none of the workers that were present at its first call)";
    }

    private static Set<Integer> workers(List<Member> members) {
        Set<Integer> workers = new TreeSet<>();
        for (Member member : members) {
            if (member.role() == Role.WORKER) {
                workers.add(member.rank());
            }
        }
        return workers;
    }
}
