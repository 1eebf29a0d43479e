package io.psf.builtin.internal.ssp;

import io.psf.api.Member;
import io.psf.api.Metered;
import io.psf.api.Metrics;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.WaitingCalls;
import io.psf.builtin.push.Workers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The groups of a server, by key. Attached to the server, used on its lane. */
public final class SspGroups extends WaitingCalls implements Metered {
    /** The most groups. Those without a present worker make way for new ones. */
    static final int MOST = 4096;

    private final Node server;
    private final Map<Long, SspGroup> groups = new HashMap<>();

    private SspGroups(Node server) {
        super(server::members);
        this.server = server;
    }

    /** Returns the groups of a server. */
    public static SspGroups of(Node server) {
        return server.attachment("psf.ssp", SspGroups.class, () -> new SspGroups(server));
    }

    SspInit.Response create(SspInit.Request request) {
        int worker = Workers.rank(server.call(), "group of workers");
        List<Member> members = server.members();
        SspGroup group = new SspGroup(request.group(), request.size(), request.staleness(), Workers.of(members));
        SspGroup there = groups.get(request.group());
        if (there == null) {
            requireRoom(request.group(), Workers.of(members));
            groups.put(request.group(), group);
        }
        if (there != null && !there.isAs(group)) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS, group + " (expected: as it was created, " + there + ")");
        }
        return new SspInit.Response(there == null, (there == null ? group : there).join(worker, members));
    }

    private void requireRoom(long key, Set<Integer> present) {
        if (groups.size() >= MOST) {
            groups.values().removeIf(group -> group.isLeft(present));
        }
        AtMost.requireOneMore(
                "groups of workers, with group " + key, groups.size(), MOST, "use the groups that there are");
    }

    CompletionStage<SspSync.Response> sync(SspSync.Request request) {
        requireNotAbandoned();
        SspGroup group = groups.get(request.group());
        if (group == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "group: " + request.group() + " (expected: one that psf.ssp.init has made)");
        }
        return group.sync(
                request.rank(), request.clock(), Workers.rank(server.call(), "clock of a worker"), server.members());
    }

    @Override
    public void measure(Metrics to) {
        groups.forEach((key, group) -> group.measure(to.with("group", key)));
    }

    @Override
    public void pause(int worker) {
        groups.values().forEach(group -> group.pause(worker, server.members()));
    }

    /** {@inheritDoc} All clocks begin anew. */
    @Override
    public void resume(Set<Integer> workers) {
        groups.values().forEach(group -> group.restart(workers, server.members()));
    }

    @Override
    protected void drop(PsException reason) {
        groups.values().forEach(group -> group.fail(reason));
    }

    /** {@inheritDoc} All clocks begin anew. */
    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        resume(workers);
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {
        groups.values().forEach(group -> group.release(members));
    }
}
