package bad;

import io.psf.api.*;
import io.psf.api.array.*;
import io.psf.api.layout.*;
import java.util.*;
import java.util.concurrent.*;

@PsFunction(value = "bad.on.servers", at = Place.SERVER)
public interface OnServers {
  record Request(
      @ByRange FloatArray x, // ERROR [PsfLayoutPlace]
      @ByKey LongArray keys) {} // ERROR [PsfLayoutPlace]

  record Response(
      @Along("keys") FloatArray rows, // ERROR [PsfLayoutPlace]
      int count, // ERROR [PsfResponseLayout]
      @Reduce(Reduction.SUM) int sum) {}

  Response handle(Request slice, Shard shard); // ERROR [PsfHandleSignature]
}
