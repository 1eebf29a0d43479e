package io.psf.builtin.internal.partial;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.builtin.optimizer.Shapes;
import io.psf.builtin.push.WaitingCalls;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The open means, which wait for some of their partners. Attached to a shard, used on its lane. */
final class PartialMeans extends WaitingCalls {
    private final Shard shard;
    private final Map<Group, PartialMean> open = new HashMap<>();

    private record Group(long key, long number) {}

    private PartialMeans(Shard shard) {
        super(shard::members);
        this.shard = shard;
    }

    static PartialMeans of(Shard shard) {
        return shard.attachment(PartialMeans.class, () -> new PartialMeans(shard));
    }

    CompletionStage<PartialReduceMean.Response> add(PartialReduceMean.Request request) {
        requireNotAbandoned();
        Shapes.requireDense(shard, request.values());
        Group group = new Group(request.group(), request.number());
        PartialMean there = open.get(group);
        PartialMean mean = there != null ? there : new PartialMean(request.ranks());
        CompletionStage<PartialReduceMean.Response> answer =
                mean.add(shard.call().worker(), request.values());
        open.put(group, mean);
        close(shard.members());
        return answer;
    }

    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        if (loaded) {
            drop(dropped("partial reduce"));
        }
    }

    @Override
    protected void drop(PsException reason) {
        List<PartialMean> dropped = List.copyOf(open.values());
        open.clear();
        dropped.forEach(each -> each.fail(reason));
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {
        close(members);
    }

    /** Closes the means that wait for nobody. */
    private void close(List<Member> members) {
        open.values().removeIf(PartialMean::isGivenUp);
        List<PartialMean> complete =
                open.values().stream().filter(mean -> mean.isComplete(members)).toList();
        open.values().removeAll(complete);
        complete.forEach(PartialMean::close);
    }
}
