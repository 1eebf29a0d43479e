package io.psf.runtime.internal.cluster;

import io.psf.api.Role;
import io.psf.runtime.internal.cluster.ClusterChange.Place;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What the members of a cluster should be: the rules of the guide, as short as they can be written. */
final class MembershipModel {
    enum Phase {
        FORMING,
        RUNNING,
        ENDED
    }

    /** A node that has joined. Its rank is -1 while it has none, and the number of a client. */
    static final class Entry {
        final Role role;
        final int asked;
        int rank;
        long since;
        boolean admitted;
        boolean late;
        boolean confirmed;
        boolean beats;
        long beatAt;
        long heard;

        Entry(Role role, int asked, int rank, long heard) {
            this.role = role;
            this.asked = asked;
            this.rank = rank;
            this.heard = heard;
        }

        Place place() {
            return new Place(role, rank);
        }
    }

    final ClusterPlan plan;
    final List<Entry> entries = new ArrayList<>();
    /** The lost nodes, with the times until which they are awaited; 0 for never. */
    final Map<Place, Long> lost = new LinkedHashMap<>();

    final Map<String, Boolean> models = new LinkedHashMap<>();
    Phase phase = Phase.FORMING;
    long epoch;
    long rollback;
    boolean isOver;
    boolean isHandover;
    private long began;
    private long startedAt;
    private int clientsBefore;
    private final Set<Integer> clientsAgain = new HashSet<>();
    private boolean isLoadDue;
    private boolean hasTimedOut;
    private boolean hasLostLastWorker;
    private int clients;
    private long endedAt;
    private long tickedAt;

    MembershipModel(ClusterPlan plan) {
        this.plan = plan;
    }

    private long now() {
        return plan.now();
    }

    private long limit() {
        return plan.heartbeatLimit().toNanos();
    }

    /** Returns how long the nodes look for a scheduler, and a scheduler waits for them. */
    private long schedulerReturn() {
        return plan.schedulerReturn().toNanos();
    }

    private List<Entry> of(Role role) {
        return entries.stream().filter(each -> each.role == role).toList();
    }

    private List<Entry> waiting(Role role) {
        return of(role).stream().filter(each -> each.since == 0).toList();
    }

    private boolean hasWorkers() {
        return of(Role.WORKER).stream().anyMatch(each -> each.since > 0);
    }

    private boolean isTaken(Role role, int rank) {
        return of(role).stream().anyMatch(each -> each.rank == rank);
    }

    /** Another scheduler goes on: it knows the members, and takes the tickets of clients. */
    void restart() {
        entries.removeIf(each -> !each.admitted || each.role == Role.CLIENT);
        entries.sort(Comparator.<Entry, Role>comparing(each -> each.role).thenComparingInt(each -> each.rank));
        entries.forEach(each -> {
            each.confirmed = false;
            each.beats = false;
            each.beatAt = 0;
            each.heard = now() + schedulerReturn() - limit();
        });
        hasLostLastWorker = false; // the journal does not have it
        lost.replaceAll((place, until) ->
                until > 0 ? now() + plan.returnOf(place.role()).toNanos() : 0);
        clientsBefore = clients;
        clientsAgain.clear();
        clients = (clients + 1023) / 1024 * 1024;
        tickedAt = now();
        startedAt = now();
        endedAt = now();
        began = now();
        isHandover = !entries.isEmpty();
        if (phase != Phase.ENDED && epoch > 0 && entries.isEmpty()) {
            formAnew();
        }
    }

    private void formAnew() {
        entries.clear();
        lost.clear();
        models.clear();
        clientsBefore = 0;
        rollback = 0;
        isLoadDue = false;
        phase = Phase.FORMING;
        epoch++;
    }

    /** Lets a client in whose ticket is of an earlier scheduler. */
    boolean connects(Entry entry) {
        boolean isNew = !isOver
                && entry.role == Role.CLIENT
                && entry.rank < clientsBefore
                && !entries.contains(entry)
                && clientsAgain.add(entry.rank);
        if (isNew) {
            entry.beats = false;
            entry.beatAt = 0;
            entries.add(entry);
        }
        return isNew;
    }

    private boolean mayJoin(Role role, int asked) {
        boolean isOpen = role == Role.CLIENT || role == Role.WORKER && plan.more();
        int expected = role == Role.SERVER ? plan.servers() : plan.workers();
        boolean comesBack = role == Role.SERVER && phase == Phase.RUNNING;
        int most = comesBack ? plan.returnOf(Role.SERVER).isZero() ? 0 : 2 * expected : expected;
        return phase != Phase.ENDED
                && !isHandover
                && (isOpen || asked < expected && of(role).size() < most)
                && (comesBack || asked < 0 || !isTaken(role, asked));
    }

    /** Lets a node join. Returns null if it is refused. */
    @Nullable
    Entry join(Role role, int asked) {
        if (!mayJoin(role, asked)) {
            return null;
        }
        boolean comesBack = role == Role.SERVER && phase == Phase.RUNNING;
        Entry entry = new Entry(role, asked, comesBack ? -1 : asked, now());
        entries.add(entry);
        if (role == Role.CLIENT && phase == Phase.RUNNING) {
            admit(entry);
        } else {
            advance();
        }
        return entry;
    }

    void admit(Entry entry) {
        entry.rank = entry.role == Role.CLIENT && !entry.admitted ? clients++ : entry.rank;
        entry.admitted = true;
        entry.heard = now();
    }

    private void advance() {
        boolean forms = phase == Phase.FORMING
                && of(Role.SERVER).size() == plan.servers()
                && (plan.service() || of(Role.WORKER).size() >= plan.workers());
        if (!forms && phase != Phase.RUNNING) {
            return;
        }
        boolean runs = hasWorkers();
        boolean begins = !runs && of(Role.WORKER).size() >= plan.workers();
        List<Entry> newcomers = new ArrayList<>(forms ? waiting(Role.SERVER) : returning());
        newcomers.addAll(runs || begins ? waiting(Role.WORKER) : List.of());
        if (newcomers.isEmpty()) {
            return;
        }
        newcomers.stream()
                .filter(each -> each.rank < 0)
                .forEach(each -> each.rank = IntStream.iterate(0, i -> i + 1)
                        .filter(rank -> !isTaken(each.role, rank))
                        .findFirst()
                        .orElseThrow());
        boolean isBack = newcomers.stream()
                .anyMatch(each -> (runs || each.role == Role.SERVER) && lost.containsKey(each.place()));
        boolean rollsBack = models.containsValue(true) && (isBack || runs && isLoadDue);
        isLoadDue = rollsBack || runs && isLoadDue;
        changed();
        rollback = rollsBack ? epoch : rollback;
        phase = Phase.RUNNING;
        newcomers.forEach(each -> {
            lost.remove(each.place());
            each.since = epoch;
            each.late = each.role == Role.SERVER ? !forms : runs && !rollsBack;
        });
        lost.keySet().removeIf(place -> begins && place.role() == Role.WORKER);
        newcomers.forEach(this::admit);
        if (forms) {
            of(Role.CLIENT).forEach(this::admit);
        }
    }

    /** Gives waiting servers the ranks of those that are awaited. */
    private List<Entry> returning() {
        List<Entry> back = new ArrayList<>();
        lost.forEach((place, until) -> {
            if (until > 0 && !isTaken(place.role(), place.rank())) {
                List<Entry> free = waiting(Role.SERVER).stream()
                        .filter(each -> each.rank < 0)
                        .toList();
                free.stream()
                        .filter(each -> each.asked == place.rank())
                        .findFirst()
                        .or(() -> free.stream().filter(each -> each.asked < 0).findFirst())
                        .ifPresent(each -> {
                            each.rank = place.rank();
                            back.add(each);
                        });
            }
        });
        return back;
    }

    /** Makes the next state, which answers the heartbeats. */
    private void changed() {
        epoch++;
        entries.forEach(this::answer);
    }

    private void answer(Entry entry) {
        if (entry.beats) {
            entry.beats = false;
            entry.heard = Math.max(entry.heard, now() - limit() / 4);
        }
    }

    void leave(Entry entry) {
        gone(entry, phase == Phase.RUNNING && isAwaited(entry));
    }

    void lose(Entry entry) {
        gone(entry, phase == Phase.RUNNING);
    }

    private boolean isAwaited(Entry entry) {
        return entry.role == Role.SERVER
                && !plan.returnOf(Role.SERVER).isZero()
                && (plan.service() || !models.isEmpty());
    }

    private void gone(Entry entry, boolean isLost) {
        boolean ran = hasWorkers();
        entries.remove(entry);
        if (entry.role != Role.CLIENT) {
            if (isLost) {
                lost.remove(entry.place());
                lost.put(
                        entry.place(),
                        isAwaited(entry) ? now() + plan.returnOf(Role.SERVER).toNanos() : 0);
            }
            if (phase == Phase.RUNNING && ran && !hasWorkers() && !plan.service()) {
                hasLostLastWorker = isLost;
                end();
            }
            changed();
        }
        if (phase == Phase.ENDED) {
            isOver |= entries.isEmpty();
        } else if (entry.role != Role.CLIENT) {
            advance();
        }
    }

    /** Removes a node that waits: its connection has ended. */
    void forget(Entry entry) {
        entries.remove(entry);
        isOver |= phase == Phase.ENDED && entries.isEmpty();
    }

    private void end() {
        phase = Phase.ENDED;
        isHandover = false;
        endedAt = now();
        entries.removeIf(each -> !each.admitted);
    }

    /** True if the cluster did not form in time, or lost its last worker, or servers that did not come back. */
    boolean hasFailed() {
        return hasTimedOut
                || hasLostLastWorker
                || lost.keySet().stream().anyMatch(place -> place.role() == Role.SERVER);
    }

    void endByMember() {
        if (phase == Phase.RUNNING) {
            end();
            changed();
            isOver |= entries.isEmpty();
        }
    }

    void endByScheduler() {
        if (phase == Phase.FORMING) {
            phase = Phase.ENDED;
            entries.clear();
            isOver = true;
        } else {
            endByMember();
        }
    }

    void beat(Entry entry, long known) {
        entry.confirmed = true;
        entry.heard = now();
        entry.beatAt = now();
        entry.beats = known == epoch && phase == Phase.RUNNING;
    }

    void restoreFrom(String model, boolean all, boolean loaded) {
        isLoadDue &= !loaded;
        if (!Boolean.valueOf(all).equals(models.get(model))) {
            models.remove(model);
            models.put(model, all);
            changed();
        }
    }

    void restoreNoLonger(String model) {
        if (models.remove(model) != null) {
            changed();
        }
    }

    void tick() {
        long stopped = now() - tickedAt - limit() / 4;
        tickedAt = now();
        if (stopped > 0) { // the scheduler, which has read nothing
            entries.forEach(each -> each.heard = Math.max(each.heard, Math.min(now(), each.heard + stopped)));
            began += stopped;
        }
        boolean isAlone = isHandover && now() - began > schedulerReturn();
        isHandover &= !isAlone;
        if (isAlone && phase != Phase.ENDED) {
            startedAt = now();
            formAnew();
        }
        if (phase == Phase.FORMING) {
            if (now() - startedAt > plan.joinTimeout().toNanos()) {
                endByScheduler();
                hasTimedOut = true;
            }
        } else if (phase == Phase.ENDED) {
            if ((isAlone || now() - endedAt > limit()) && !isHandover) {
                entries.clear();
                isOver = true;
            }
        } else {
            for (Entry entry : List.copyOf(entries)) {
                if (entry.admitted && !entry.beats && now() - entry.heard > limit() && !isHandover) {
                    lose(entry);
                } else if (now() - entry.beatAt > limit() / 4) {
                    answer(entry);
                }
            }
            List<Place> over = lost.entrySet().stream()
                    .filter(loss -> phase == Phase.RUNNING && !isHandover)
                    .filter(loss -> loss.getValue() > 0 && now() > loss.getValue())
                    .map(Map.Entry::getKey)
                    .toList();
            over.forEach(place -> lost.put(place, 0L));
            if (!over.isEmpty()) {
                changed();
            }
        }
    }
}
