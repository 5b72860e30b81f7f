#!/usr/bin/env bash
# Runs what the foundation promises, each line as written, from a fresh clone: before a release, or to see it for oneself.
#
# Usage: harness/acceptance.sh DIR [LINE...]
#
# DIR must not exist yet; clone, data and logs go there. Without LINE all of 1 to 8 are run. Needs the programs that
# .ci/run installs, and port 10809 free. Prints one line each, and ends with 0 only if all of them hold.
set -uo pipefail

[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd -P)
base=$1
shift
lines=("$@")
[ ${#lines[@]} -gt 0 ] || lines=(1 2 3 4 5 6 7 8)
mkdir "$base" || exit 2
base=$(cd "$base" && pwd -P)
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
export LC_ALL=C
clone=$base/clone
uri=nbd://127.0.0.1:10809/
server=

end_server() {
    [ -z "$server" ] || kill -9 "$server" 2>/dev/null
    server=
}
trap end_server EXIT

bad() { echo "acceptance: $*"; exit 1; }
same() { [ "$2" = "$3" ] || bad "$1: expected=$2, actual=$3"; }
sha() { sha256sum "$1" | cut -d' ' -f1; }
sha_of_first() { head -c "$1" "$2" | sha256sum | cut -d' ' -f1; }

start() { # LOG COMMAND...: starts a server and waits until it says where it serves
    local log=$1
    shift
    : >"$log"
    "$@" >"$log" 2>"$log.err" &
    server=$!
    for ((i = 0; i < 6000; i++)); do
        if grep -q 'nbd\(+unix\)\{0,1\}://' "$log"; then return 0; fi
        kill -0 "$server" 2>/dev/null || { cat "$log" "$log.err"; bad "ended before it served: $*"; }
        sleep 0.1
    done
    bad "not ready in 10 minutes: $*"
}

stop() {
    kill "$server" 2>/dev/null
    wait "$server" || bad "stopped with exit code $?"
    server=
}

kill_hard() {
    kill -9 "$server"
    wait "$server" 2>/dev/null
    server=
}

members() { find "$1" -maxdepth 1 -type f -size +1M | sort; }

rule() { # SEED BYTES: content by the corpus's rule
    perl -e 'no warnings "portable"; use integer; my ($seed, $size) = @ARGV; my $key = $seed * 0x9E3779B97F4A7C15;
        for (my $o = 0; $o < $size; $o += 65536) {
            my $n = $size - $o < 65536 ? ($size - $o) / 8 : 8192;
            print pack "q<*", map { ($o + 8 * $_) ^ $key } 0 .. $n - 1; }' "$1" "$2"
}

line_1() {
    head -c 256M /dev/urandom >random
    [ ! -e "$clone/.tenfold" ] || bad "something is built already"
    start up1.log "$clone/tenfold" up
    local size
    size=$(nbdinfo --size "$uri") || bad "nbdinfo failed"
    nbdinfo "$uri" | grep -q "export-size: $size" || bad "nbdinfo shows no size"
    nbdcopy --flush random "$uri" || bad "nbdcopy failed"
    kill_hard
    start up2.log "$clone/tenfold" up
    nbdcopy "$uri" back || bad "nbdcopy failed"
    same "sha256 after kill -9" "$(sha random)" "$(sha_of_first 256M back)"
    stop
    echo "size $size, sha256 $(sha random)"
}

line_2() {
    head -c 64M /dev/urandom >random
    start up.log "$clone/tenfold" up data --size 64M
    nbdcopy --flush random "$uri" || bad "nbdcopy failed"
    stop
    local files file other
    mapfile -t files < <(members data)
    same "members" 4 "${#files[@]}"
    for file in "${files[@]}"; do
        cp -r --sparse=always data trial
        rm "trial/${file##*/}"
        start "up-${file##*/}.log" "$clone/tenfold" up trial
        cat "up-${file##*/}.log" "up-${file##*/}.log.err" | grep -qi 'degraded' || bad "not said to be degraded: $file"
        cat "up-${file##*/}.log" "up-${file##*/}.log.err" | grep -qi 'missing' || bad "not said what is missing: $file"
        nbdcopy "$uri" back || bad "nbdcopy failed"
        same "sha256 without ${file##*/}" "$(sha random)" "$(sha_of_first 64M back)"
        stop
        rm -r trial
    done
    local one two pair
    for pair in "0 1 no" "2 3 no" "0 2 yes" "0 3 yes" "1 2 yes" "1 3 yes"; do
        read -r one two pair <<<"$pair"
        cp -r --sparse=always data trial
        rm "trial/$(basename "${files[$one]}")" "trial/$(basename "${files[$two]}")"
        if [ "$pair" = yes ]; then
            start "up-$one$two.log" "$clone/tenfold" up trial
            nbdcopy "$uri" back || bad "nbdcopy failed"
            same "sha256 without slots $one and $two" "$(sha random)" "$(sha_of_first 64M back)"
            stop
        else
            if timeout 60 "$clone/tenfold" up trial >"up-$one$two.log" 2>&1; then bad "served without both of a pair"; fi
            grep -qE "$one, ?$two" "up-$one$two.log" || { cat "up-$one$two.log"; bad "slots are not named"; }
            cat "up-$one$two.log"
        fi
        rm -r trial
    done
}

line_3() {
    /usr/bin/python3 - "$clone" <<'PYTHON' || bad "sets that did not read right"
import hashlib, json, os, subprocess, sys
clone = sys.argv[1]
corpus = clone + "/harness/corpus"
def sha(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()
failed = 0
for entry in json.load(open(corpus + "/manifest.json"))["sets"]:
    name = entry["name"]
    subprocess.run(["tar", "-xJf", f"{corpus}/sets/{name}.tar.xz"], check=True)
    files = [member["file"] for member in entry["members"]]
    before = [sha(file) for file in files]
    problems = []
    if before != [member["sha256"] for member in entry["members"]]:
        problems.append("not unpacked right")
    run = subprocess.run([clone + "/tenfold", "copy", *files, "--to", name + ".copy"], capture_output=True, text=True)
    open(name + ".log", "w").write(run.stdout + run.stderr)
    if entry["level"] == "raid0":
        outcome = "refused: " + run.stderr.strip().split("\n")[0]
        if run.returncode == 0 or "raid0" not in run.stderr or os.path.exists(name + ".copy"):
            problems.append("not refused")
    elif run.returncode != 0:
        outcome = ""
        problems.append("exit code %d: %s" % (run.returncode, run.stderr.strip()))
    else:
        outcome = sha(name + ".copy")
        if outcome != entry["array_sha256"]:
            problems.append("wrong content")
        if outcome not in run.stdout + run.stderr:
            problems.append("does not say its sha256")
        if "either" in entry:
            subprocess.run([clone + "/tenfold", "copy", *files[::-1], "--to", name + ".copy2"], check=True, capture_output=True)
            if sha(name + ".copy2") != outcome:
                problems.append("reads differently on the second run")
        for file in entry.get("files", []):
            subprocess.run(["debugfs", "-R", f"dump /{file['path']} extracted", name + ".copy"], check=True, capture_output=True)
            if sha("extracted") != file["sha256"]:
                problems.append("wrong file " + file["path"])
    if [sha(file) for file in files] != before:
        problems.append("A MEMBER WAS CHANGED")
    print(name, entry["kernel"]["assembles"], outcome, *problems, sep=" | ")
    failed += bool(problems)
sys.exit(1 if failed else 0)
PYTHON
}

line_4() {
    local shape layout count chunk size
    for shape in "n2 4" "n2 3" "n3 5" "f2 4" "o2 4"; do
        read -r layout count <<<"$shape"
        for chunk in 64K 512K; do
            rm -rf array
            mkdir array
            # shellcheck disable=SC2046 # one word a member
            "$clone/tenfold" create --raid-devices "$count" --layout "$layout" --chunk "$chunk" --member-size 24M \
                $(seq -f 'array/m%g' "$count") || bad "create failed: $layout on $count, chunk $chunk"
            start "serve-$layout-$count-$chunk.log" "$clone/tenfold" serve array/m*
            size=$(nbdinfo --size "$uri")
            rule 77 "$size" >content
            nbdcopy --flush content "$uri" || bad "nbdcopy failed"
            stop
            "$clone/harness/kernel/md-check" --seed 77 --size "$size" --clean --timeout 900 array/m* >"md-check-$layout-$count-$chunk.log" 2>&1 ||
                { tail -n 30 "md-check-$layout-$count-$chunk.log"; bad "md-check: $layout on $count, chunk $chunk"; }
            echo "$layout on $count, chunk $chunk, $size bytes: $(grep mismatch_cnt "md-check-$layout-$count-$chunk.log"), $(tail -n 1 "md-check-$layout-$count-$chunk.log")"
        done
    done
}

line_5() {
    head -c 512M /dev/urandom >image.raw
    start up.log "$clone/tenfold" up data --size 512M
    qemu-img convert -n -f raw -O raw image.raw "$uri" || bad "qemu-img failed"
    qemu-img convert -f raw -O raw "$uri" back.raw || bad "qemu-img failed"
    same "sha256 after qemu-img there and back" "$(sha image.raw)" "$(sha back.raw)"
    # The kernel's own client makes the file system, in a machine of its own.
    "$clone/harness/kernel/kernel-vm" --timeout 900 --host-tcp 10809 -- "
        set -e
        modprobe nbd
        nbd-client -N '' \$HOST_ADDR \$HOST_PORT /dev/nbd0
        mkfs.ext4 -q /dev/nbd0
        mount /dev/nbd0 /mnt
        dd if=/dev/urandom of=/mnt/file bs=1M count=100 status=none
        sha256sum /mnt/file
        umount /mnt
        nbd-client -d /dev/nbd0" >vm.log 2>&1 || { cat vm.log; bad "no file system could be made"; }
    nbdcopy "$uri" ext4.raw || bad "nbdcopy failed"
    e2fsck -fn ext4.raw || bad "e2fsck -fn finds errors"
    debugfs -R 'dump /file extracted' ext4.raw
    grep -q "$(sha extracted)" vm.log || bad "the file in it has changed"
    fio --name=verify --ioengine=nbd --uri="$uri" --rw=randwrite --bs=4k --iodepth=32 --size=512M --io_size=256M \
        --verify=crc32c --do_verify=1 >fio.log 2>&1 || { cat fio.log; bad "fio --verify=crc32c"; }
    grep 'err= 0' fio.log || bad "fio --verify=crc32c"
    stop
}

reported() { # of the reports below the directories given: how many tests ran, failed, were skipped
    find "$@" -path '*/target/surefire-reports/TEST-*.xml' -exec sed -n \
        's/^<testsuite .*tests="\([0-9]*\)" errors="\([0-9]*\)" skipped="\([0-9]*\)" failures="\([0-9]*\)".*/\1 \2 \3 \4/p' {} + |
        awk '{ run += $1; bad += $2 + $4; skipped += $3 } END { printf "%d tests, %d failed, %d skipped\n", run, bad, skipped }'
}

maven_tests() { # LOG TESTS OPTION...: runs the named tests in the clone; fails if one fails or none is found
    local log=$1 tests=$2
    shift 2
    (cd "$clone" && find . -path '*/target/surefire-reports' -prune -exec rm -rf {} + &&
        ./mvnw -B verify -Dtest="$tests" -Dsurefire.failIfNoSpecifiedTests=false "$@") >"$log" 2>&1 ||
        { grep -E 'ERROR|FAIL' "$log" | head -n 20; bad "tests failed: $tests"; }
    local result
    result=$(reported "$clone")
    [[ $result =~ ^[1-9][0-9]*\ tests,\ 0\ failed,\ 0\ skipped$ ]] || bad "$tests: $result"
    echo "$tests: $result"
}

line_6() {
    maven_tests fuzz.log '*Fuzz*' -pl raid,nbd -am
    grep -n '10_000' "$clone"/{raid,nbd}/src/test/java/io/tenfold/*/FuzzTest.java | sed 's/.*io.tenfold.//' ||
        bad "the fuzz tests do not try ten thousand each"
}

line_7() { CI=true maven_tests reports.log UserReportsSystemTest -pl harness/system -am; }

line_8() {
    local fresh=$base/fresh begun seconds
    git clone -q "$repository" "$fresh" || bad "cannot clone"
    begun=$SECONDS
    # Programs of packages that a machine does not have by default are hidden, where one may do that.
    local hide='for p in nbdinfo nbdcopy nbdsh fio qemu-img qemu-io qemu-nbd qemu-system-x86_64 mdadm sgdisk nbdkit nbd-client; do
            for d in /usr/bin /usr/sbin; do [ ! -e $d/$p ] || mount --bind /dev/null "$(readlink -f $d/$p)"; done; done'
    if unshare -m true 2>/dev/null; then
        (cd "$fresh" && CI= unshare -m sh -c "$hide; exec ./mvnw -B verify") >verify.log 2>&1
    else
        echo "not root: nothing is hidden, the build uses what is installed"
        (cd "$fresh" && CI= ./mvnw -B verify) >verify.log 2>&1
    fi || { grep -E 'ERROR|FAIL' verify.log | head -n 20; bad "./mvnw verify is not green"; }
    seconds=$((SECONDS - begun))
    [ "$seconds" -lt 900 ] || bad "./mvnw verify took $seconds s"
    echo "./mvnw verify: $(reported "$fresh"), $seconds s"
    grep -h '^SKIPPED' verify.log | sort | uniq -c | sort -rn | head -n 5
    # A forbidden call, then a forbidden import: the one the house rules notice, the other no compiler takes.
    local package=$fresh/raid/src/main/java/io/tenfold/raid
    printf 'package io.tenfold.raid;\n\nfinal class Forbidden {\n    private Forbidden() {}\n\n    static long now() {\n        return System.nanoTime();\n    }\n}\n' >"$package/Forbidden.java"
    if (cd "$fresh" && ./mvnw -B verify -pl harness/rules -am -Dtest='HouseRules*' -Dsurefire.failIfNoSpecifiedTests=false) >rules-call.log 2>&1; then
        bad "a forbidden call is not noticed"
    fi
    grep -h 'Forbidden.now' rules-call.log | head -n 1
    printf 'package io.tenfold.raid;\n\nimport io.tenfold.nbd.NbdServer;\n\nfinal class Forbidden {\n    private Forbidden() {}\n\n    static Class<?> server() {\n        return NbdServer.class;\n    }\n}\n' >"$package/Forbidden.java"
    if (cd "$fresh" && ./mvnw -B verify -pl harness/rules -am -Dtest='HouseRules*' -Dsurefire.failIfNoSpecifiedTests=false) >rules-import.log 2>&1; then
        bad "a forbidden import is not noticed"
    fi
    grep -hE 'Forbidden' rules-import.log | head -n 1
}

titles=("" "up, kill -9, up again" "missing members" "the corpus of real arrays" "a real kernel takes what create made"
    "qemu-img, ext4, fio" "fuzzing" "what users report" "a fresh clone builds and tests green")
git clone -q "$repository" "$clone" || exit 2
echo "commit $(git -C "$clone" log -1 --format='%h %s')"
failed=0
for line in "${lines[@]}"; do
    mkdir -p "$base/line-$line"
    cd "$base/line-$line" || exit 2
    begun=$SECONDS
    if (trap end_server EXIT; "line_$line") >outcome.log 2>&1; then outcome=holds; else outcome=FAILS failed=1; fi
    echo "$line. ${titles[$line]}: $outcome ($((SECONDS - begun)) s)"
    tail -n 60 outcome.log | sed 's/^/     /'
done
exit $failed
