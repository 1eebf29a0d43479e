package io.psf.runtime.internal.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The groups of psf's own functions that permissions name. Each function of psf that a node serves, also each function
 * of its extensions, is in exactly one of them, or is part of being a member: a test holds that.
 */
public final class FunctionGroups {
    /** The group of all functions, users' functions included. */
    static final String ALL = "all";

    /** What every node calls that was admitted, and what is called before that. */
    public static final Set<String> MEMBERSHIP = Set.of(
            "psf.cluster.beat",
            "psf.cluster.changes",
            "psf.cluster.join",
            "psf.cluster.leave",
            "psf.cluster.report",
            "psf.cluster.visit",
            "psf.connection.challenge",
            "psf.connection.end",
            "psf.connection.hello",
            "psf.connection.present");

    private static final Set<String> READ = Set.of(
            "psf.keys.hot",
            "psf.list",
            "psf.model.list",
            "psf.model.newest",
            "psf.model.written",
            "psf.report.collect",
            "psf.rounds",
            "psf.stats",
            "psf.table.counts");

    private static final Set<String> PULL = Set.of(
            "psf.cache.sync",
            "psf.dense.pull",
            "psf.kv.states.pull",
            "psf.spark.cosines",
            "psf.sparse.fetch",
            "psf.sparse.fetch.range",
            "psf.sparse.find",
            "psf.sparse.keys",
            "psf.sparse.pull",
            "psf.sparse.pull.bags");

    private static final Set<String> PUSH = Set.of(
            "psf.allreduce",
            "psf.allreduce.clear",
            "psf.allreduce.init",
            "psf.allreduce.next",
            "psf.barrier",
            "psf.cache.push",
            "psf.cache.pushsync",
            "psf.dense.push",
            "psf.dense.pushpull",
            "psf.epoch.begin",
            "psf.epoch.end",
            "psf.epoch.leave",
            "psf.init",
            "psf.init.check",
            "psf.init.values",
            "psf.kv.push",
            "psf.kv.push.rows",
            "psf.kv.states.store",
            "psf.optimizer.rate",
            "psf.optimizer.set",
            "psf.preduce.mean",
            "psf.preduce.partners",
            "psf.push.end",
            "psf.push.norm",
            "psf.push.sums",
            "psf.report.scalar",
            "psf.spark.rows.start",
            "psf.sparse.push",
            "psf.sparse.push.dense.pull",
            "psf.sparse.pushpull",
            "psf.sparse.remove",
            "psf.sparse.store",
            "psf.ssp.init",
            "psf.ssp.sync",
            "psf.tensor.declare",
            "psf.training.abandon",
            "psf.training.enter",
            "psf.training.leave",
            "psf.training.pause",
            "psf.training.restart",
            "psf.training.tell");

    private static final Set<String> ADMIN = Set.of(
            "psf.clear",
            "psf.cluster.end",
            "psf.cluster.restore",
            "psf.kv.command",
            "psf.model.delete",
            "psf.model.freeze",
            "psf.model.join",
            "psf.model.load",
            "psf.model.read",
            "psf.model.restore",
            "psf.model.save",
            "psf.tensor.forget",
            "psf.training.meet");

    private FunctionGroups() {}

    /** Returns the groups by name, except the group of all functions. */
    public static Map<String, Set<String>> byName() {
        Map<String, Set<String>> groups = new LinkedHashMap<>();
        groups.put("read", READ);
        groups.put("pull", PULL);
        groups.put("push", PUSH);
        groups.put("admin", ADMIN);
        return groups;
    }
}
