package io.psf.builtin.ssp;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.spi.Restartable;
import io.psf.builtin.push.Abandoned;
import io.psf.builtin.push.Workers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The groups of a server, by key. Attached to the server, used on its lane. */
public final class SspGroups implements MemberListener, Restartable {
    private final Node server;
    private final Map<Long, SspGroup> groups = new HashMap<>();
    private final Abandoned abandoned = new Abandoned();

    private SspGroups(Node server) {
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
        SspGroup there = groups.putIfAbsent(request.group(), group);
        if (there != null && !there.isAs(group)) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS, group + " (expected: as it was created, " + there + ")");
        }
        return new SspInit.Response(there == null, (there == null ? group : there).join(worker, members));
    }

    CompletionStage<SspSync.Response> sync(SspSync.Request request) {
        abandoned.requireNot();
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
    public void pause(int worker) {
        groups.values().forEach(group -> group.pause(worker, server.members()));
    }

    @Override
    public void abandon(PsException reason) {
        abandoned.begin(reason, server.members());
        groups.values().forEach(group -> group.fail(reason));
    }

    /** {@inheritDoc} All clocks begin anew. */
    @Override
    public void restart(boolean loaded, Set<Integer> workers) {
        abandoned.end();
        groups.values().forEach(group -> group.restart(workers, server.members()));
    }

    @Override
    public void membersChanged(List<Member> members) {
        abandoned.retain(Workers.of(members));
        groups.values().forEach(group -> group.release(members));
    }
}
