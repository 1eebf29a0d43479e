package io.psf.builtin.ssp;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.Node;
import io.psf.api.PsException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The groups of a server, by key. Attached to the server, used on its lane. */
final class SspGroups implements MemberListener {
    private final Map<Long, SspGroup> groups = new HashMap<>();

    static SspGroups of(Node server) {
        return server.attachment("psf.ssp", SspGroups.class, SspGroups::new);
    }

    boolean create(SspInit.Request request, int worker) {
        SspGroup group = new SspGroup(request.group(), request.size(), request.staleness());
        SspGroup there = groups.putIfAbsent(request.group(), group);
        if (there != null && !there.isAs(group)) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS, group + " (expected: as it is there, " + there + ")");
        }
        (there == null ? group : there).join(worker);
        return there == null;
    }

    CompletionStage<SspSync.Response> sync(SspSync.Request request, Node server) {
        SspGroup group = groups.get(request.group());
        if (group == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "group: " + request.group() + " (expected: one that psf.ssp.init has made)");
        }
        return group.sync(request.rank(), request.clock(), server.call().worker(), server.members());
    }

    @Override
    public void membersChanged(List<Member> members) {
        groups.values().forEach(group -> group.release(members));
    }
}
