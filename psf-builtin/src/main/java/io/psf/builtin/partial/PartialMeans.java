package io.psf.builtin.partial;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Shard;
import io.psf.builtin.optimizer.Shapes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The open means: those that wait for some of their partners. Attached to a shard, used on its lane. */
final class PartialMeans implements MemberListener {
    private final Map<Group, PartialMean> open = new HashMap<>();

    private record Group(long key, long number) {}

    static PartialMeans of(Shard shard) {
        return shard.attachment(PartialMeans.class, PartialMeans::new);
    }

    CompletionStage<PartialReduceMean.Response> add(PartialReduceMean.Request request, Shard shard) {
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
    public void membersChanged(List<Member> members) {
        open.values().removeIf(PartialMean::isGivenUp);
        List<PartialMean> complete =
                open.values().stream().filter(mean -> mean.isComplete(members)).toList();
        open.values().removeAll(complete);
        complete.forEach(PartialMean::close);
    }
}
