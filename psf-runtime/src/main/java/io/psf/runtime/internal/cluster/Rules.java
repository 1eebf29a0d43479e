package io.psf.runtime.internal.cluster;

import io.psf.api.Member;
import io.psf.runtime.internal.server.Permits;
import io.psf.runtime.internal.server.session.Access;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What nodes may call, as servers know it: without tokens.
 *
 * @param version a number derived from the content; 0 if every node may call everything
 */
public record Rules(long version, List<Rule> rules) {
    /** The name of a guest's role, which has no {@link io.psf.api.Role}. */
    static final String GUEST = "guest";

    /** Every node may call everything. */
    static final Rules NONE = new Rules(0, List.of());

    public Rules {
        rules = List.copyOf(rules);
    }

    /**
     * One rule.
     *
     * @param name its name, which is in the tickets of the nodes that it matched
     * @param roles the labels of the roles that it holds for
     * @param all true if every function is allowed
     * @param functions the names of the allowed functions
     */
    public record Rule(String name, List<String> roles, boolean all, List<String> functions) {
        public Rule {
            roles = List.copyOf(roles);
            functions = List.copyOf(functions);
        }
    }

    /** Returns what each peer may call. */
    Permits permits() {
        if (version == 0) {
            return Permits.ALL;
        }
        Map<String, Access> known = new ConcurrentHashMap<>();
        return (member, grant) -> {
            String role = role(member);
            List<String> names = Grant.of(grant).names();
            return known.computeIfAbsent(role + " " + String.join(",", names), key -> access(role, names));
        };
    }

    private static String role(Member member) {
        return member.rank() == Ticket.GUEST ? GUEST : member.role().label();
    }

    private Access access(String role, List<String> names) {
        Set<String> allowed = new HashSet<>(FunctionGroups.MEMBERSHIP);
        boolean all = false;
        for (Rule rule : rules) {
            if (names.contains(rule.name()) && rule.roles().contains(role)) {
                allowed.addAll(rule.functions());
                all |= rule.all();
            }
        }
        return new Access(String.join(", ", names), all, allowed);
    }
}
