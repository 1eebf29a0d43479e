package io.psf.builtin.partial;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.spi.Restartable;
import io.psf.builtin.optimizer.Shapes;
import io.psf.builtin.push.Abandoned;
import io.psf.builtin.push.Workers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The open means: those that wait for some of their partners. Attached to a shard, used on its lane. */
final class PartialMeans implements MemberListener, Restartable {
    private final Shard shard;
    private final Abandoned abandoned = new Abandoned();
    private final Map<Group, PartialMean> open = new HashMap<>();

    private record Group(long key, long number) {}

    private PartialMeans(Shard shard) {
        this.shard = shard;
    }

    static PartialMeans of(Shard shard) {
        return shard.attachment(PartialMeans.class, () -> new PartialMeans(shard));
    }

    CompletionStage<PartialReduceMean.Response> add(PartialReduceMean.Request request) {
        abandoned.requireNot();
        Shapes.requireDense(shard, request.values());
        Group group = new Group(request.group(), request.number());
        PartialMean there = open.get(group);
        PartialMean mean = there != null ? there : new PartialMean(request.ranks());
        CompletionStage<PartialReduceMean.Response> answer =
                mean.add(shard.call().worker(), request.values());
        open.put(group, mean);
        membersChanged(shard.members());
        return answer;
    }

    @Override
    public void abandon(PsException reason) {
        abandoned.begin(reason, shard.members());
        drop(reason);
    }

    @Override
    public void restart(boolean loaded, Set<Integer> workers) {
        abandoned.end();
        if (loaded) {
            drop(Abandoned.dropped("partial reduce"));
        }
    }

    private void drop(PsException reason) {
        List<PartialMean> dropped = List.copyOf(open.values());
        open.clear();
        dropped.forEach(each -> each.fail(reason));
    }

    @Override
    public void membersChanged(List<Member> members) {
        abandoned.retain(Workers.of(members));
        open.values().removeIf(PartialMean::isGivenUp);
        List<PartialMean> complete =
                open.values().stream().filter(mean -> mean.isComplete(members)).toList();
        open.values().removeAll(complete);
        complete.forEach(PartialMean::close);
    }
}
