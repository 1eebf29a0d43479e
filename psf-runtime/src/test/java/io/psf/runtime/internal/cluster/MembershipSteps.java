package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.runtime.internal.cluster.MembershipModel.Phase;
import io.psf.runtime.internal.server.session.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A real membership by a virtual clock, and its model: both take the same steps, and are compared after each. */
final class MembershipSteps {
    /** What happened in a history. */
    enum Seen {
        FORMED,
        NEVER_FORMED,
        LATE,
        LOST,
        AWAITED,
        RETURNED,
        EXPIRED,
        ROLLED_BACK,
        SECOND_JOB,
        OVER,
        REFUSED,
        RESUMED,
        RESTARTED,
        FOLLOWED
    }

    /** One step of a history. The numbers choose nodes and amounts among those that there are. */
    record Step(Kind kind, int a, int b) {
        enum Kind {
            JOIN,
            JOIN_AGAIN,
            BEAT,
            ALL_BEAT,
            LEAVE,
            DROP,
            RESUME,
            TICK,
            RESTORE_FROM,
            END,
            END_BY_SCHEDULER,
            RESTART
        }

        private static final Kind[] OFTEN = {
            Kind.JOIN,
            Kind.JOIN,
            Kind.JOIN,
            Kind.JOIN,
            Kind.JOIN,
            Kind.JOIN_AGAIN,
            Kind.BEAT,
            Kind.BEAT,
            Kind.ALL_BEAT,
            Kind.ALL_BEAT,
            Kind.LEAVE,
            Kind.DROP,
            Kind.RESUME,
            Kind.TICK,
            Kind.TICK,
            Kind.TICK,
            Kind.RESTORE_FROM
        };

        static Step random(Random random) {
            int kind = random.nextInt(300);
            Kind chosen =
                    kind == 0 ? Kind.END : kind == 1 ? Kind.END_BY_SCHEDULER : OFTEN[random.nextInt(OFTEN.length)];
            if (kind > 292) {
                chosen = Kind.RESTART;
            }
            return new Step(chosen, random.nextInt(1 << 20), random.nextInt(1 << 20));
        }

        @Override
        public String toString() {
            return kind + " " + a + " " + b;
        }
    }

    /** A node: what it has said and been told. */
    private static final class Player {
        final Join.Request request;
        final MembershipModel.@Nullable Entry entry;
        Connection connection;
        CompletableFuture<Join.Response> joined;

        @Nullable
        CompletableFuture<Beat.Response> beat;

        @Nullable
        ClusterView view;

        Join.@Nullable Admission told;
        boolean hasNoSession;
        boolean isCut;
        int channels;

        Player(
                Join.Request request,
                MembershipModel.@Nullable Entry entry,
                Connection connection,
                CompletableFuture<Join.Response> joined) {
            this.request = request;
            this.entry = entry;
            this.connection = connection;
            this.joined = joined;
        }
    }

    private final Set<Seen> seen = EnumSet.noneOf(Seen.class);
    private final List<Player> players = new ArrayList<>();
    private final VirtualScheduler scheduler;
    private final MembershipModel model;
    private long sessions;

    MembershipSteps(Random random) {
        Duration serverReturn = random.nextInt(4) == 0 ? Duration.ZERO : Duration.ofSeconds(20 + random.nextInt(60));
        Duration schedulerReturn = VirtualScheduler.LIMIT.multipliedBy(random.nextInt(3));
        this.scheduler = new VirtualScheduler(
                1 + random.nextInt(3),
                1 + random.nextInt(3),
                random.nextBoolean(),
                random.nextBoolean(),
                serverReturn,
                schedulerReturn);
        this.model = new MembershipModel(scheduler.plan());
    }

    private Membership membership() {
        return scheduler.membership();
    }

    Set<Seen> seen() {
        return seen;
    }

    @Override
    public String toString() {
        ClusterPlan plan = scheduler.plan();
        return plan + (plan.service() ? ", a service" : "") + ", servers return within " + plan.returnOf(Role.SERVER);
    }

    void run(List<Step> steps) {
        for (Step step : steps) {
            take(step);
            scheduler.drain();
            learn();
            compare(step);
        }
    }

    private void take(Step step) {
        switch (step.kind) {
            case JOIN -> join(step);
            case TICK -> {
                long limit = VirtualScheduler.LIMIT.toNanos();
                long[] times = {limit / 8, limit / 4, limit / 3, limit * 2};
                int kind = step.a % times.length;
                for (int i = kind == 1 ? 5 : 1; i > 0; i--) {
                    scheduler.tick(times[kind] + step.b);
                    model.tick();
                }
            }
            case ALL_BEAT ->
                players.stream()
                        .filter(each -> model.entries.contains(each.entry))
                        .forEach(each -> beat(each, step));
            case RESTART -> restart();
            case END_BY_SCHEDULER -> {
                membership().end();
                model.endByScheduler();
            }
            default -> {
                if (!players.isEmpty()) {
                    take(step, players.get(step.a % players.size()));
                }
            }
        }
    }

    private void take(Step step, Player player) {
        switch (step.kind) {
            case JOIN_AGAIN -> joinAgain(player);
            case BEAT -> beat(player, step);
            case LEAVE -> leave(player);
            case DROP -> drop(player);
            case RESUME -> resume(player);
            case END -> {
                if (isPresent(player) && !player.isCut) {
                    membership().end(player.connection);
                    model.endByMember();
                }
            }
            default -> restoreFrom(step);
        }
    }

    /** Another scheduler goes on from the journal. Nodes whose joins have no answer have to join again. */
    private void restart() {
        boolean hasNodes = !scheduler.state().nodes().isEmpty();
        if (model.isOver || model.phase == Phase.ENDED && !hasNodes) {
            return; // its journal is deleted, or of no use
        }
        scheduler.restart();
        model.restart();
        for (Player player : players) {
            player.beat = null;
            player.hasNoSession = false;
            player.isCut = true;
            if (player.entry != null && !player.entry.admitted) {
                player.joined = new CompletableFuture<>();
                player.joined.completeExceptionally(new PsException(Code.UNAVAILABLE, "its scheduler is gone"));
            }
        }
        seen.add(Seen.RESTARTED);
    }

    private boolean isPresent(Player player) {
        return player.entry != null && player.entry.admitted && model.entries.contains(player.entry);
    }

    private void join(Step step) {
        Role[] roles = {Role.SERVER, Role.SERVER, Role.WORKER, Role.WORKER, Role.WORKER, Role.CLIENT};
        Role role = roles[step.a % roles.length];
        int asked = role == Role.CLIENT || step.b % 2 == 0 ? -1 : step.b / 2 % 4;
        Join.Address address =
                role == Role.SERVER ? new Join.Address("host", 1 + players.size()) : new Join.Address("", 0);
        Join.Request request = new Join.Request(Protocol.OWN, role, asked, address, ++sessions, new byte[0]);
        Connection connection = scheduler.connect();
        boolean wasPresent = scheduler.state().count(Role.WORKER) > 0;
        boolean hadJob = wasPresent || model.lost.keySet().stream().anyMatch(place -> place.role() == Role.WORKER);
        MembershipModel.Entry entry = model.join(role, asked);
        try {
            CompletableFuture<Join.Response> joined = membership().join(request, connection);
            assertThat(entry).as("the model's entry of %s %d", role, asked).isNotNull();
            players.add(new Player(request, entry, connection, joined));
        } catch (PsException refused) {
            assertThat(refused.code()).isEqualTo(model.isHandover ? Code.UNAVAILABLE : Code.BAD_REQUEST);
            assertThat(entry).as("refused: %s", refused.detail()).isNull();
            seen.add(Seen.REFUSED);
        }
        if (hadJob && !wasPresent && scheduler.state().count(Role.WORKER) > 0) {
            seen.add(Seen.SECOND_JOB);
        }
    }

    private void joinAgain(Player player) {
        if (!model.entries.contains(player.entry)) {
            return;
        }
        MembershipModel.Entry entry = Objects.requireNonNull(player.entry);
        Connection fresh = scheduler.connect();
        try {
            player.joined = membership().join(player.request, fresh);
            assertThat(entry.confirmed).as("confirmed").isFalse();
            player.connection = fresh;
            player.hasNoSession = false;
            player.channels = 0;
            player.isCut = false;
            entry.heard = scheduler.now();
            model.isHandover = false;
        } catch (PsException refused) {
            assertThat(refused.code())
                    .as(refused.detail())
                    .isEqualTo(model.isHandover && model.phase == Phase.ENDED ? Code.UNAVAILABLE : Code.BAD_REQUEST);
            assertThat(entry.confirmed || model.phase == Phase.ENDED)
                    .as(refused.detail())
                    .isTrue();
        }
    }

    private void beat(Player player, Step step) {
        if (player.view == null || player.isCut) {
            return;
        }
        boolean isPresent = isPresent(player);
        long known = step.b % 16 == 0 ? 0 : player.view.state().epoch();
        try {
            player.beat = membership().beat(known, player.connection);
            assertThat(isPresent).as("present").isTrue();
            model.beat(Objects.requireNonNull(player.entry), known);
        } catch (PsException refused) {
            assertThat(refused.code()).isEqualTo(Code.CLOSED);
            assertThat(isPresent).as(refused.detail()).isFalse();
        }
    }

    private void leave(Player player) {
        if (player.told == null || player.isCut) {
            return; // a node without an answer, or a connection, calls nothing
        }
        membership().leave(player.connection);
        if (isPresent(player)) {
            model.leave(Objects.requireNonNull(player.entry));
        }
        player.hasNoSession = true;
    }

    /** Ends the connection of a node together with its session. */
    private void drop(Player player) {
        MembershipModel.Entry entry = player.entry;
        if (player.isCut) {
            return;
        }
        scheduler.drop(player.connection);
        player.hasNoSession = true;
        if (entry != null && model.entries.contains(entry)) {
            if (!entry.admitted) {
                model.forget(entry);
            } else if (entry.confirmed) {
                model.lose(entry);
            }
        }
    }

    /** Connects a node again, which continues its session. */
    private void resume(Player player) {
        Join.Admission told = player.told;
        if (told == null) {
            return;
        }
        Hello.Request hello = new Hello.Request(
                Protocol.OWN,
                new Hello.Caller(player.request.role(), told.rank(), told.since(), ""),
                scheduler.cluster(),
                new Hello.InSession(player.request.session(), ++player.channels),
                new byte[0]);
        if (player.entry != null && model.connects(player.entry)) {
            player.hasNoSession = false;
        }
        boolean isKnown = isPresent(player) && !player.hasNoSession;
        try {
            membership().rejoin(hello, scheduler.connect());
            player.isCut = false;
            player.connection =
                    Objects.requireNonNull(membership().table().of(player.request.role(), told.rank())).connection;
            assertThat(isKnown).as("known").isTrue();
            MembershipModel.Entry entry = Objects.requireNonNull(player.entry);
            entry.confirmed = true;
            entry.heard = scheduler.now();
            model.isHandover &= entry.role == Role.CLIENT;
            seen.add(Seen.RESUMED);
        } catch (PsException refused) {
            assertThat(refused.code()).isEqualTo(Code.CLOSED);
            assertThat(isKnown).as(refused.detail()).isFalse();
        }
    }

    private void restoreFrom(Step step) {
        if (model.entries.stream().noneMatch(each -> each.admitted)) {
            return;
        }
        String name = "m" + step.b % 2;
        boolean isAll = step.b / 2 % 3 > 0;
        boolean isLoaded = step.b / 6 % 2 > 0;
        long from = step.b / 12 % 3 == 0 ? 0 : model.rollback;
        if (step.b / 36 % 4 == 0) {
            membership().returns().restoreFrom(new RestoreFrom.Request(name, isAll, isLoaded, from, true));
            model.restoreNoLonger(name);
            return;
        }
        RestoreFrom.Request request = new RestoreFrom.Request(name, isAll, isLoaded, from, false);
        if (from != model.rollback) {
            assertThatThrownBy(() -> membership().returns().restoreFrom(request))
                    .hasMessageContaining("ROLLED_BACK");
            return;
        }
        membership().returns().restoreFrom(request);
        model.restoreFrom(name, isAll, isLoaded);
    }

    /** Lets each node apply what it has been told. */
    private void learn() {
        for (Player player : players) {
            if (player.joined.isDone() && !player.joined.isCompletedExceptionally() && player.view == null) {
                player.view = new ClusterView(player.joined.join().state(), null);
                player.told = player.joined.join().admission();
            }
            if (player.beat != null && player.beat.isDone()) {
                Beat.Response answer = player.beat.join();
                player.beat = null;
                ClusterView view = Objects.requireNonNull(player.view);
                view.apply(answer.changes());
                boolean isLatest = scheduler.state().epoch() == view.state().epoch();
                boolean hasEnded = model.phase == Phase.ENDED;
                assertThat(answer.ended())
                        .as("the cluster has ended")
                        .isIn(isLatest ? List.of(hasEnded) : List.of(false, hasEnded));
            }
        }
    }

    private void compare(Step step) {
        ClusterState state = scheduler.state();
        assertThat(state.epoch()).as("epoch after %s", step).isEqualTo(model.epoch);
        assertThat(state.nodes().stream()
                        .filter(node -> !model.isOver) // the last nodes are not waited for, and are in no further state
                        .map(node -> ClusterChange.Place.of(node.member()) + " since " + node.since()))
                .as("present after %s", step)
                .containsExactlyInAnyOrderElementsOf(model.entries.stream()
                        .filter(each -> each.since > 0)
                        .map(each -> each.place() + " since " + each.since)
                        .toList());
        assertThat(state.lost().stream().map(loss -> ClusterChange.Place.of(loss.member()) + " " + loss.awaited()))
                .as("lost after %s", step)
                .containsExactlyElementsOf(model.lost.entrySet().stream()
                        .map(loss -> loss.getKey() + " " + (loss.getValue() > 0))
                        .toList());
        assertThat(state.recovery().rollback()).as("rollback after %s", step).isEqualTo(model.rollback);
        assertThat(scheduler.rolledBack()).as("the event of a rollback").isEqualTo(model.rollback);
        assertThat(scheduler.ends()).as("ends after %s", step).isEqualTo(model.isOver ? 1 : 0);
        assertThat(scheduler.failure() != null)
                .as("a failure after %s", step)
                .isEqualTo(model.isOver && model.hasFailed());
        for (Player player : players) {
            compare(player, step);
        }
        see();
    }

    private void compare(Player player, Step step) {
        MembershipModel.Entry entry = Objects.requireNonNull(player.entry);
        boolean isThere = model.entries.contains(entry);
        if (isThere) {
            assertThat(player.joined.isDone()).as("admitted after %s", step).isEqualTo(entry.admitted);
            assertThat(player.beat != null)
                    .as("a heartbeat of %s waits after %s", entry.place(), step)
                    .isEqualTo(entry.beats);
        } else if (model.phase == Phase.ENDED && !entry.admitted && !player.hasNoSession) {
            assertThat(player.joined).as("refused after %s", step).isCompletedExceptionally();
        }
        if (isThere && entry.admitted) {
            Join.Response answer = player.joined.join();
            assertThat(answer.admission().rank()).as("rank").isEqualTo(entry.rank);
            assertThat(answer.admission().since()).as("since").isEqualTo(entry.since);
            assertThat(answer.admission().late()).as("late").isEqualTo(entry.late);
            assertThat(answer.admission().workers())
                    .isGreaterThanOrEqualTo(scheduler.plan().workers());
            if (entry.beats) {
                assertThat(Objects.requireNonNull(player.view).state()).isEqualTo(scheduler.state());
            }
        }
    }

    private void see() {
        Map<ClusterChange.Place, Long> lost = model.lost;
        note(Seen.FORMED, model.phase == Phase.RUNNING);
        note(Seen.NEVER_FORMED, model.phase == Phase.ENDED && model.epoch == 0);
        note(Seen.LATE, model.entries.stream().anyMatch(each -> each.late && each.role == Role.WORKER));
        note(Seen.RETURNED, model.entries.stream().anyMatch(each -> each.late && each.role == Role.SERVER));
        note(Seen.LOST, !lost.isEmpty());
        note(Seen.EXPIRED, seen.contains(Seen.AWAITED) && lost.containsValue(0L));
        note(Seen.AWAITED, lost.values().stream().anyMatch(until -> until > 0));
        note(Seen.ROLLED_BACK, model.rollback > 0);
        note(Seen.FOLLOWED, model.phase == Phase.FORMING && model.epoch > 0);
        note(Seen.OVER, model.isOver && model.epoch > 0);
    }

    private void note(Seen what, boolean isSo) {
        if (isSo) {
            seen.add(what);
        }
    }
}
