package io.psf.cli;

import io.psf.api.Member;
import io.psf.api.Role;
import java.util.List;

/** Says how many nodes a cluster has: {@code 2 servers and 1 worker}. */
final class NodeCounts {
    private NodeCounts() {}

    static String of(List<Member> members) {
        return count(members, Role.SERVER) + " and " + count(members, Role.WORKER);
    }

    private static String count(List<Member> members, Role role) {
        long n = members.stream().filter(each -> each.role() == role).count();
        return n + " " + role.label() + (n == 1 ? "" : "s");
    }
}
