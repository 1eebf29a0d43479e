package io.psf.runtime.internal.cluster;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.JournalEntry.BarrierStep;
import io.psf.runtime.internal.cluster.JournalEntry.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The workers that wait at the barrier. A barrier is for the workers that are present when the first of them calls it: it
 * does not wait for those that join later, whose calls count for the next one, nor for those that have left or are lost. A
 * worker that calls again before the barrier has opened counts for the next one, too. A call that has timed out does not
 * count. Used on the scheduler's lane.
 */
final class Barriers implements Barrier, MemberListener {
    private final Journal journal;
    /** For each worker rank, its unanswered calls, oldest first. */
    private final Map<Integer, List<Waiting>> waiting = new LinkedHashMap<>();
    /** For each worker rank, its latest call of a barrier that has opened. */
    private final Map<Integer, Long> opened = new HashMap<>();

    /** The epoch of the last rollback; 0 for none. */
    private long rollback;

    /** The workers of the current barrier; empty while no worker waits. */
    private final Set<Integer> counted = new TreeSet<>();

    /**
     * A call that waits.
     *
     * @param isHere false for a call that a scheduler before this one has received: it is sent again, or its worker has given
     *     it up
     */
    private record Waiting(long call, CompletableFuture<Response> answer, boolean isHere) {}

    /** Begins with what the journal has of the barrier. */
    Barriers(Journal journal) {
        this.journal = journal;
        rollback = journal.state().state().recovery().rollback();
        BarrierStep before = journal.state().barrier();
        counted.addAll(before.counted());
        for (Call call : before.called()) {
            calls(call.worker()).add(new Waiting(call.call(), new CompletableFuture<>(), false));
        }
        before.opened().forEach(call -> opened.put(call.worker(), call.call()));
    }

    private List<Waiting> calls(int worker) {
        return waiting.computeIfAbsent(worker, each -> new ArrayList<>());
    }

    @Override
    public CompletionStage<Response> handle(Request request, Node scheduler) {
        CallInfo call = scheduler.call();
        if (call.worker() < 0) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "barrier: called by a client (expected: by a worker, since it is for all workers)");
        }
        if (call.call() <= opened.getOrDefault(call.worker(), -1L)) { // sent again, since its answer was lost
            return CompletableFuture.completedFuture(new Response());
        }
        if (request.rollback() != rollback) { // it would wait for workers that load a checkpoint
            throw rolledBack();
        }
        CompletableFuture<Response> answer = new DeferredAnswer<>(this::missing);
        List<Waiting> calls = calls(call.worker());
        calls.removeIf(each -> !each.isHere && each.call <= call.call());
        calls.add(new Waiting(call.call(), answer, true));
        journal.barrier(new BarrierStep(List.of(new Call(call.worker(), call.call())), List.of(), List.of()));
        membersChanged(scheduler.members());
        return answer;
    }

    @Override
    public void membersChanged(List<Member> members) {
        Set<Integer> workers = workers(members);
        waiting.keySet().retainAll(workers);
        waiting.values().forEach(calls -> calls.removeIf(each -> each.answer.isDone())); // timed out or cancelled
        waiting.values().removeIf(List::isEmpty);
        counted.retainAll(workers);
        opened.keySet().retainAll(workers);
        while (!waiting.isEmpty()) {
            if (counted.isEmpty()) {
                counted.addAll(workers);
                journal.barrier(new BarrierStep(List.of(), List.copyOf(counted), List.of()));
            }
            if (!waiting.keySet().containsAll(counted)) {
                return;
            }
            open();
        }
        counted.clear();
    }

    /** Fails the calls of before a rollback: the workers meet again when they load a checkpoint. */
    void rollBack(long epoch) {
        rollback = epoch;
        List<Waiting> before = waiting.values().stream().flatMap(List::stream).toList();
        waiting.clear();
        counted.clear();
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
        List<Waiting> over = new ArrayList<>();
        for (int worker : counted) {
            Waiting first = waiting.getOrDefault(worker, List.of()).remove(0); // each has a call
            over.add(first);
            through.add(new Call(worker, first.call));
            opened.put(worker, first.call);
        }
        waiting.values().removeIf(List::isEmpty);
        counted.clear();
        journal.barrier(new BarrierStep(List.of(), List.of(), through));
        over.forEach(each -> each.answer.complete(new Response()));
    }

    private String missing() {
        Set<Integer> missing = new TreeSet<>(counted);
        missing.removeAll(waiting.keySet());
        return "workers that have not called the barrier: " + missing
                + " (expected: none of those that were present when" + " it was called first)";
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
