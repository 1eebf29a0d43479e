package io.psf.builtin.internal.partial;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.WaitingCalls;
import io.psf.builtin.push.Workers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/** The open groups of a server, by key. Attached to the server, used on its lane. */
public final class PartialGroups extends WaitingCalls {
    /** The most open groups. Those whose workers have all given up make way for new ones. */
    static final int MOST = 4096;

    private final Node server;
    private final Map<Long, Open> groups = new HashMap<>();
    /** The number of groups opened so far; the next group's number. */
    private long opened;

    /** A group, and the timer that closes it. */
    private record Open(PartialGroup group, Future<?> deadline) {}

    private PartialGroups(Node server) {
        super(server::members);
        this.server = server;
    }

    /** Returns the groups of a server. */
    public static PartialGroups of(Node server) {
        return server.attachment("psf.preduce", PartialGroups.class, () -> new PartialGroups(server));
    }

    CompletionStage<PartialReducePartners.Response> come(PartialReducePartners.Request request) {
        requireNotAbandoned();
        require("rank", request.rank(), 0);
        require("wanted", request.wanted(), 1);
        require("maxWaitMillis", request.maxWaitMillis(), 0);
        int worker = Workers.rank(server.call(), "partial reduce");
        long key = request.group();
        forgetGone(key, server.members());
        Open open = groups.get(key);
        if (open == null) {
            if (groups.size() >= MOST) {
                changed(server.members(), Set.of());
            }
            AtMost.requireOneMore(
                    "open groups of a partial reduce, with group " + key, groups.size(), MOST, "await some of them");
            PartialGroup group = new PartialGroup(opened++, request.wanted());
            Duration wait = Duration.ofMillis(request.maxWaitMillis());
            open = new Open(group, server.after(wait, () -> timeIsUp(key, group)));
            groups.put(key, open);
        }
        CompletionStage<PartialReducePartners.Response> answer =
                open.group().add(request.rank(), request.wanted(), worker);
        if (open.group().isComplete()) {
            close(key, open);
        }
        return answer;
    }

    private void timeIsUp(long key, PartialGroup group) {
        forgetGone(key, server.members());
        Open open = groups.get(key);
        if (open != null && open.group() == group) {
            close(key, open);
        }
    }

    @Override
    protected void begin(boolean loaded, Set<Integer> workers) {
        if (loaded) {
            drop(dropped("partial reduce"));
        }
    }

    @Override
    protected void drop(PsException reason) {
        List<Open> dropped = List.copyOf(groups.values());
        groups.clear();
        for (Open each : dropped) {
            each.deadline().cancel(false);
            each.group().fail(reason);
        }
    }

    @Override
    protected void changed(List<Member> members, Set<Integer> present) {
        List.copyOf(groups.keySet()).forEach(key -> forgetGone(key, members));
    }

    /**
     * Removes workers that have left, are lost or have cancelled. Closes an empty group; the next worker opens a new
     * one.
     */
    private void forgetGone(long key, List<Member> members) {
        Open open = groups.get(key);
        if (open != null) {
            open.group().retain(Workers.of(members));
            if (open.group().isEmpty()) {
                close(key, open);
            }
        }
    }

    private void close(long key, Open open) {
        groups.remove(key);
        open.deadline().cancel(false);
        open.group().close();
    }

    private static void require(String name, int actual, int least) {
        if (actual < least) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": " + actual + " (expected: >= " + least + ")");
        }
    }
}
