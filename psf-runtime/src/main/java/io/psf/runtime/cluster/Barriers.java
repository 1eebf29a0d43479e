package io.psf.runtime.cluster;

import io.psf.api.CallInfo;
import io.psf.api.DeferredAnswer;
import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The workers that wait at the barrier. A worker that calls again before the barrier has opened counts for the next
 * one. The barrier does not wait for workers that have left or are lost. A call that has timed out does not count. Used
 * on the scheduler's lane.
 */
final class Barriers implements Barrier, MemberListener {
    /**
     * For each worker rank, its unanswered calls, oldest first. The first call of each worker forms the current
     * barrier.
     */
    private final Map<Integer, List<CompletableFuture<Response>>> waiting = new LinkedHashMap<>();

    @Override
    public CompletionStage<Response> handle(Request request, Node scheduler) {
        CallInfo call = scheduler.call();
        CompletableFuture<Response> answer = new DeferredAnswer<>(() -> missing(scheduler));
        waiting.computeIfAbsent(call.worker(), worker -> new ArrayList<>()).add(answer);
        membersChanged(scheduler.members());
        return answer;
    }

    @Override
    public void membersChanged(List<Member> members) {
        Set<Integer> workers = workers(members);
        waiting.keySet().retainAll(workers);
        waiting.values().forEach(calls -> calls.removeIf(CompletableFuture::isDone)); // timed out or cancelled
        waiting.values().removeIf(List::isEmpty);
        if (workers.isEmpty() || !waiting.keySet().containsAll(workers)) {
            return;
        }
        List<CompletableFuture<Response>> opened = new ArrayList<>();
        for (List<CompletableFuture<Response>> calls : waiting.values()) {
            opened.add(calls.remove(0));
        }
        waiting.values().removeIf(List::isEmpty);
        opened.forEach(answer -> answer.complete(new Response()));
    }

    private String missing(Node scheduler) {
        Set<Integer> missing = workers(scheduler.members());
        missing.removeAll(waiting.keySet());
        return "workers that have not called the barrier: " + missing + " (expected: none of those that are present)";
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
