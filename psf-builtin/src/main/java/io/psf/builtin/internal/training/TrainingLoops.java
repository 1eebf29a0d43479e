package io.psf.builtin.internal.training;

import io.psf.api.Member;
import io.psf.api.MemberListener;
import io.psf.api.PsException;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.AtMost;
import io.psf.builtin.push.Workers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The training loops, by the name of their model. Attached to the server that leads them, used on its lane. */
final class TrainingLoops implements MemberListener {
    /** The most loops. Those that no worker is in make way for new ones. */
    static final int MOST = 1024;

    private final StoredNode server;
    private final Map<String, TrainingState> loops = new HashMap<>();

    private TrainingLoops(StoredNode server) {
        this.server = server;
    }

    static TrainingLoops of(StoredNode server) {
        return server.attachment("psf.training", TrainingLoops.class, () -> new TrainingLoops(server));
    }

    /** Returns the loop of a model. */
    TrainingState at(String model) {
        TrainingState there = loops.get(model);
        if (there != null) {
            return there;
        }
        AtMost.requireName("model", model);
        if (loops.size() >= MOST) {
            loops.values().removeIf(TrainingState::isForgotten);
        }
        AtMost.requireOneMore(
                "training loops, with the loop of model \"" + model + "\"", loops.size(), MOST, "end some of them");
        TrainingState made = new TrainingState(model, new LedWork(server, model), () -> Workers.of(server.members()));
        loops.put(model, made);
        return made;
    }

    /** Fails what waits in a model's loop, if this server leads it. */
    void abandon(String model, PsException reason) {
        TrainingState loop = loops.get(model);
        if (loop != null) {
            loop.abandon(reason);
        }
    }

    @Override
    public void membersChanged(List<Member> members) {
        Set<Integer> present = Workers.of(members);
        loops.values().forEach(loop -> loop.retain(present));
        loops.values().removeIf(TrainingState::isForgotten);
    }
}
