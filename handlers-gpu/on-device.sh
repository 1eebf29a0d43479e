#!/usr/bin/env bash
# Runs the tests and the benchmarks on a machine with a GPU, which needs neither Java nor a network:
#   on-device.sh build     on a machine with a JDK and Maven: packs all into target/on-device.tar.xz
#   on-device.sh [FOLDER]  on the machine with the GPU: writes report.txt and report.json, default: target/report
# Ends with 0 if no test has failed, the demo has trained, and compute-sanitizer, where there is one, has found nothing; with 3
# without a GPU.
# PSF_MAVEN_OPTS are flags for Maven, such as -o.
set -eu -o pipefail
unset CDPATH

fail() {
  echo "on-device: $*" >&2
  exit 1
}

module=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
home=$(dirname -- "$module")
archive=$module/target/on-device.tar
most=60000000
unpacked=
folder=
unfinished=
running=

# Ends the part that runs, which would write further files, and removes what is of use to this run alone.
clean() {
  if [ -n "$running" ]; then
    kill -- "$running" 2>/dev/null || true
    wait "$running" 2>/dev/null || true
  fi
  [ -z "$unpacked" ] || rm -rf -- "$unpacked"
  [ -z "$folder" ] || rm -rf -- "$folder/parts"
  [ -z "$unfinished" ] || rm -f -- "$unfinished"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# The modules of the JDK that the class path needs.
modules=java.base,java.compiler,java.instrument,java.logging,java.management,java.naming,java.sql,java.xml
modules=$modules,jdk.crypto.ec,jdk.management,jdk.unsupported,jdk.zipfs

# Prints the entries of a module's class path for tests, one a line.
entries() {
  tr ':' '\n' <"$home/$1/target/on-device.classpath"
}

# Leaves the library of the driver's functions alone in JCuda's natives: jar, folder. The others are for other APIs.
strip_natives() {
  local natives only
  natives=$(ls "$2"/jcuda-natives-*-linux-x86_64.jar 2>/dev/null) || return 0
  only=$unpacked/natives
  mkdir -p -- "$only"
  (cd -- "$only" && "$1" xf "$natives" lib && "$1" cf "$natives" lib/libJCudaDriver-*)
  rm -rf -- "$only"
}

build() {
  command -v mvn >/dev/null || fail "mvn: not found (expected: Maven, 3.8 or newer, on the PATH)"
  local java jlink pack entry name size packed
  java=${JAVA_HOME:-$(dirname -- "$(dirname -- "$(readlink -f -- "$(command -v javac)")")")}
  jlink=$java/bin/jlink
  [ -x "$jlink" ] || fail "$jlink: not found (expected: a JDK, 17 or newer; JAVA_HOME may name another)"
  echo "on-device: building ..." >&2
  # shellcheck disable=SC2086 # PSF_MAVEN_OPTS holds several flags
  (cd -- "$home" && mvn -q -B ${PSF_MAVEN_OPTS:-} -DskipTests -pl examples,handlers-gpu -am \
    package org.apache.maven.plugins:maven-dependency-plugin:build-classpath \
    -DincludeScope=test -Dmdep.outputFile=target/on-device.classpath) </dev/null >&2 || fail "the build failed"
  unpacked=$(mktemp -d)
  pack=$unpacked/on-device
  mkdir -p -- "$pack/lib"
  for entry in $(entries handlers-gpu) $(entries examples); do
    name=$(basename -- "$entry")
    case $name in
      *wn31* | psf-processor* | lombok* | error_prone*) ;;  # data of another example; needed to compile
      *) [ -d "$entry" ] || cp -- "$entry" "$pack/lib/" ;;
    esac
  done
  strip_natives "$java/bin/jar" "$pack/lib"
  cp -- "$home/examples/target/psf-examples.jar" "$pack/lib/"
  ls "$pack/lib"/handlers-gpu-*.jar >/dev/null 2>&1 || fail "$pack/lib: has no handlers-gpu (expected: the jar of this module)"
  cp -R -- "$module/target/test-classes" "$pack/handlers-gpu-tests"
  cp -R -- "$home/examples/target/test-classes" "$pack/examples-tests"
  cp -- "$home/psf-cli/src/main/resources/io/psf/cli/jvm.options" "$pack/jvm.options"
  "$jlink" --add-modules "$modules" --strip-java-debug-attributes --no-man-pages --no-header-files \
    --output "$pack/java"
  # An interrupted build leaves the archive before it, or none.
  unfinished=$module/target/unfinished.$$
  if command -v xz >/dev/null; then
    packed=$archive.xz
    tar -C "$unpacked" -cf - on-device | xz -T0 -6 >"$unfinished"
  else
    packed=$archive.gz
    tar -C "$unpacked" -czf "$unfinished" on-device
  fi
  rm -rf -- "$unpacked"
  unpacked=
  size=$(wc -c <"$unfinished")
  [ "$size" -le "$most" ] || fail "$packed: $size bytes (expected: at most $most)"
  rm -f -- "$archive".*
  mv -- "$unfinished" "$packed"
  unfinished=
  echo "on-device: $packed has $size bytes" >&2
}

find_archive() {
  local each
  for each in "$archive.xz" "$archive.gz"; do
    if [ -f "$each" ]; then
      echo "$each"
      return
    fi
  done
}

# Unpacks an archive, also on a machine that has no xz but Python.
unpack() {
  case $1 in
    *.xz)
      if command -v xz >/dev/null; then
        xz -dc "$1" | tar -C "$unpacked" -xf -
      else
        python3 -c 'import lzma, shutil, sys; shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)' "$1" \
          | tar -C "$unpacked" -xf -
      fi
      ;;
    *) tar -C "$unpacked" -xzf "$1" ;;
  esac
}

find_sanitizer() {
  local each
  for each in "$(command -v compute-sanitizer || true)" /usr/local/cuda*/bin/compute-sanitizer \
    /usr/local/cuda*/compute-sanitizer/compute-sanitizer; do
    if [ -n "$each" ] && [ -x "$each" ]; then
      echo "$each"
      return
    fi
  done
}

# Sets the command of a JVM with the whole class path.
set_jvm() {
  local classpath=handlers-gpu-tests:examples-tests:lib/*
  jvm=("$unpacked/on-device/java/bin/java" "@$unpacked/on-device/jvm.options" -Xmx8g -XX:MaxDirectMemorySize=16g
    -Dlogback.statusListenerClass=ch.qos.logback.core.status.NopStatusListener -cp "$classpath")
}

# Runs one part with a limit in seconds: limit, flags of the JVM, part. Its output is in the log. Sets code.
part() {
  local limit=$1 flags=$2 name=$3
  shift 3
  code=0
  # shellcheck disable=SC2086 # flags holds several flags, or none
  timeout -k 5 "$limit" "$@" "${jvm[@]}" $flags io.psf.gpu.report.OnDevice "$name" "$folder" \
    >>"$folder/log.txt" 2>&1 &
  running=$!
  wait "$running" || code=$?
  running=
  if [ "$code" = 124 ] || [ "$code" = 137 ]; then
    echo "on-device: $name: not ended after $limit s" >&2
  fi
}

# Prints why compute-sanitizer has checked nothing: it says so itself, or it has ended before the first test. Nothing else.
# Takes the number of tests begun, and of lines logged, before it was started.
refusal() {
  local reason
  reason=$(sed -n 's/^=* *\(\(Internal [A-Za-z ]*\)\{0,1\}Error: .*\)/\1/p' "$folder/sanitizer.txt" 2>/dev/null | head -n 1 || true)
  if [ -n "$reason" ]; then
    echo "$reason"
  elif [ "$(tests_begun)" = "$1" ] && [ "$code" != 124 ] && [ "$code" != 137 ]; then
    echo "it ended before the first test with exit code $code: $(tail -n "+$(($2 + 1))" "$folder/log.txt" | tail -n 1)"
  fi
}

tests_begun() {
  grep -c ' begins$' "$folder/log.txt" 2>/dev/null || true
}

# Runs one tool of compute-sanitizer with a limit in seconds. Adds its result to results; sets sanitized if it fails.
sanitize_by() {
  local tool=$1 limit=$2 result begun logged reason
  begun=$(tests_begun)
  logged=$(wc -l <"$folder/log.txt")
  rm -f -- "$folder/sanitizer.txt"
  part "$limit" "" every-kernel "$sanitizer" --tool "$tool" --report-api-errors no --print-limit 20 \
    --log-file "$folder/sanitizer.txt"
  result=$(sed -n 's/^=* *\(ERROR\|RACECHECK\) SUMMARY: *//p' "$folder/sanitizer.txt" 2>/dev/null | tail -n 1 || true)
  if grep -q 'before first instrumented' "$folder/sanitizer.txt" 2>/dev/null; then
    result="no result, since no kernel was checked"
  fi
  case ${result:-none} in
    "0 errors"* | "0 hazards"*)
      [ "$code" = 0 ] || { sanitized=1; result="$result; a test failed, see log.txt (exit code $code)"; }
      ;;
    none)
      reason=$(refusal "$begun" "$logged")
      if [ -n "$reason" ]; then
        result="not run, since this machine refuses compute-sanitizer: $reason"
      else
        sanitized=1
        result="no result (exit code $code)"
      fi
      ;;
    *) sanitized=1 ;;
  esac
  results="$results${results:+$'\n'}$tool: $result"
  [ ! -f "$folder/sanitizer.txt" ] || cat -- "$folder/sanitizer.txt" >>"$folder/log.txt"
}

sanitize() {
  local sanitizer
  sanitizer=$(find_sanitizer)
  sanitized=0
  results=
  if [ -z "$sanitizer" ]; then
    results="memcheck: not run, since there is no compute-sanitizer"
  else
    sanitize_by memcheck 120
    sanitize_by initcheck 60
    sanitize_by racecheck 60
  fi
  "${jvm[@]}" io.psf.gpu.report.OnDevice sanitizer "$folder" "$results" >>"$folder/log.txt" 2>&1 || sanitized=1
}

# Runs the demo on the device, each node a process. Sets demo to 0 if it has trained.
run_demo() {
  local limit=$1 result
  demo=0
  timeout -k 5 "$limit" "${jvm[@]}" io.psf.cli.Main demo --device 0 >"$folder/demo.txt" 2>&1 &
  running=$!
  wait "$running" || demo=$?
  running=
  result="exit code $demo"
  [ "$demo" != 0 ] || result=$(grep '^AUC ' "$folder/demo.txt" | tail -n 1 || true)
  "${jvm[@]}" io.psf.gpu.report.OnDevice demo "$folder" "${result:-no AUC}" >>"$folder/log.txt" 2>&1 || true
  cat -- "$folder/demo.txt" >>"$folder/log.txt"
  rm -f -- "$folder/demo.txt"
}

# Lets the driver be found where container platforms mount it.
add_driver() {
  local each
  for each in /usr/local/nvidia/lib64 /usr/local/nvidia/lib; do
    if [ -d "$each" ]; then
      export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$each"
    fi
  done
  if [ -d /usr/local/nvidia/bin ]; then
    export PATH="$PATH:/usr/local/nvidia/bin"
  fi
}

run() {
  local found tests
  found=$(find_archive)
  if [ -z "$found" ]; then
    command -v mvn >/dev/null && command -v javac >/dev/null \
      || fail "$archive.xz: not there (expected: on-device.sh build, on a machine with a JDK and Maven)"
    build
    found=$(find_archive)
  fi
  mkdir -p -- "$1"
  folder=$(cd -- "$1" && pwd)
  rm -rf -- "$folder/parts" "$folder/report.json" "$folder/report.txt" "$folder/log.txt" "$folder/sanitizer.txt"
  unpacked=$(mktemp -d)
  unpack "$found" || fail "$found: cannot be unpacked"
  cd -- "$unpacked/on-device"
  set_jvm
  add_driver
  part 190 -Dpsf.gpu.poison=true tests
  tests=$code
  if [ "$tests" = 3 ]; then
    rm -rf -- "$folder/parts"
    echo "on-device: not run on a GPU, since $(sed -n 's/^no device: //p' "$folder/report.txt")" >&2
    echo "on-device: $folder/report.txt" >&2
    exit 3
  fi
  run_demo 60
  part 150 "" benchmarks
  [ "$code" = 0 ] || echo "on-device: benchmarks: exit code $code" >&2
  sanitize
  rm -rf -- "$folder/parts"
  cat -- "$folder/report.txt"
  echo "on-device: $folder/report.txt" >&2
  [ "$tests" = 0 ] || fail "tests: failed (exit code $tests)"
  [ "$demo" = 0 ] || fail "demo: failed (exit code $demo)"
  [ "$sanitized" = 0 ] || fail "compute-sanitizer: see the report"
}

case ${1:-} in
  build) build ;;
  -*) fail "$1: not known (expected: build, or a folder for the report)" ;;
  *) run "${1:-$module/target/report}" ;;
esac
