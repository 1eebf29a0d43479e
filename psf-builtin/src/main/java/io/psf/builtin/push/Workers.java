package io.psf.builtin.push;

import io.psf.api.Member;
import io.psf.api.Role;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Selects the workers among the members of a cluster. */
public final class Workers {
    private Workers() {}

    /** Returns the ranks of the workers. */
    public static Set<Integer> of(List<Member> members) {
        return members.stream()
                .filter(member -> member.role() == Role.WORKER)
                .map(Member::rank)
                .collect(Collectors.toSet());
    }
}
