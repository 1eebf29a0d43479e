package io.psf.gpu.shard;

import java.util.Map;

/** The parameters of psf's kernels. */
final class Signatures {
    private static final String GENERATOR = "iddlff";
    private static final String RULE = "fffffpiiffffi";

    /** The types of each kernel's parameters, as in {@link LaunchArguments#types}; {@code *} stands for each rule. */
    static final Map<String, String> ALL = Map.ofEntries(
            Map.entry("psf_encode", "plpli"),
            Map.entry("psf_decode", "plpli"),
            Map.entry("psf_decode_bytes", "ppiipl"),
            Map.entry("psf_encode_bytes", "plipp"),
            Map.entry("psf_fill", "plli" + GENERATOR),
            Map.entry("psf_rows_in_range", "pillppip"),
            Map.entry("psf_check", "pillppi"),
            Map.entry("psf_find", "pillplpp"),
            Map.entry("psf_find_or_insert", "piplpippippii" + GENERATOR),
            Map.entry("psf_resolve", "pip"),
            Map.entry("psf_index", "pipl"),
            Map.entry("psf_doom_keys", "piplpp"),
            Map.entry("psf_plan_moves", "pippp"),
            Map.entry("psf_remove_rows", "pippl"),
            Map.entry("psf_keys_of", "ppip"),
            Map.entry("psf_touch", "piplpiipp"),
            Map.entry("psf_set_marks", "piiii"),
            Map.entry("psf_write_marks", "piplpp"),
            Map.entry("psf_lower_marks", "pii"),
            Map.entry("psf_doom_idle", "pillpp"),
            Map.entry("psf_count_digit", "ppiiip"),
            Map.entry("psf_pick_digit", "iip"),
            Map.entry("psf_doom_lowest", "ppiiippp"),
            Map.entry("psf_move_keys", "pppipl"),
            Map.entry("psf_move_rows", "pppiii"),
            Map.entry("psf_pull_range", "ppiiilliipp"),
            Map.entry("psf_pull_index", "ppiiillpliippp"),
            Map.entry("psf_pull_each", "pii"),
            Map.entry("psf_pull_one", "ppplllppiii"),
            Map.entry("psf_pull_missing", "ppiiiipp" + GENERATOR),
            Map.entry("psf_end", "pp"),
            Map.entry("psf_end_steps", "pippp"),
            Map.entry("psf_scatter", "ppiipi"),
            Map.entry("psf_sum_rows", "ppppiiiip" + GENERATOR),
            Map.entry("psf_*_all", "ppppplli" + RULE),
            Map.entry("psf_*_rows", "ppppppiiip" + RULE),
            Map.entry("psf_*_rest", "ppppppii" + RULE),
            Map.entry("psf_add_squares_all", "ppplli" + RULE),
            Map.entry("psf_add_squares_rows", "ppppiiip" + RULE),
            Map.entry("psf_squared_norm", "plfp"),
            Map.entry("psf_lamb_sums_all", "ppppplli" + RULE + "p"),
            Map.entry("psf_lamb_sums_rows", "ppppppiii" + RULE + "p"),
            Map.entry("psf_add_up", "plpi"),
            Map.entry("psf_count", "pi"),
            Map.entry("psf_mark", "pippipp"));

    private Signatures() {}
}
