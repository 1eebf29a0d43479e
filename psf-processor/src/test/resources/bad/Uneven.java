package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

/** Rows of different lengths whose lengths nobody tells. */
@PsFunction("bad.uneven")
public interface Uneven {
  record Request(
      TensorId tensor,
      @ByKey LongArray keys,
      @ByKey(combine = Reduction.SUM) LongArray folded,
      @Along("folded") IntArray foldedCounts,
      @Ragged("foldedCounts") LongArray ofFolded, // ERROR [PsfRaggedFolded]
      @Along(value = "keys", width = 2) IntArray counts, // ERROR [PsfRaggedCounts]
      @Ragged("counts") LongArray rows,
      @Ragged("count") LongArray misspelt, // ERROR [PsfRaggedCounts]
      @Along("keys") LongArray longs,
      @Ragged("longs") LongArray byLongs, // ERROR [PsfRaggedCounts]
      @Ragged("longs") FloatArray againByLongs,
      @ByRange(width = 1) IntArray aligned,
      @Ragged("aligned") LongArray byAligned, // ERROR [PsfRaggedCounts]
      @Ragged("counts") long[] copied) {} // ERROR [PsfLayoutType]

  record Response(
      @Ragged("counts") LongArray ofRequest, // ERROR [PsfRaggedCounts]
      @Along("folded") IntArray degrees,
      @Ragged("degrees") LongArray neighbors) {}

  Response handle(Request slice, Shard shard);
}
