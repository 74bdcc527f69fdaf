CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.branch (
    season character varying(64) NOT NULL,
    log character varying(64) NOT NULL,
    n integer NOT NULL,
    hash bytea NOT NULL,
    text text NOT NULL,
    head bytea NOT NULL,
    signature bytea NOT NULL
);
CREATE TABLE public.cosignature (
    season character varying(64) NOT NULL,
    log character varying(64) NOT NULL,
    size integer NOT NULL,
    text text NOT NULL
);
CREATE TABLE public.cosigner (
    key bytea NOT NULL
);
CREATE TABLE public.line (
    season character varying(64) NOT NULL,
    log character varying(64) NOT NULL,
    n integer NOT NULL,
    hash bytea NOT NULL,
    text text NOT NULL,
    root bytea,
    signature bytea,
    roots bytea
)
PARTITION BY LIST (season);
CREATE TABLE public.line_others (
    season character varying(64) NOT NULL,
    log character varying(64) NOT NULL,
    n integer NOT NULL,
    hash bytea NOT NULL,
    text text NOT NULL,
    root bytea,
    signature bytea,
    roots bytea
);
CREATE TABLE public.log (
    season character varying(64) NOT NULL,
    name character varying(64) NOT NULL,
    lines integer NOT NULL,
    head bytea NOT NULL,
    fork integer
);
CREATE TABLE public.witnessed (
    log character varying(64) NOT NULL,
    size integer NOT NULL,
    root bytea NOT NULL
);
ALTER TABLE ONLY public.line ATTACH PARTITION public.line_others DEFAULT;
INSERT INTO public.alembic_version VALUES ('others');
INSERT INTO public.branch VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 'ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1', 2, '\x049389afdcb08d4d213d9b7ea79ad2d711b2e2977d6080d61eb8169d472ed67e', '{"obs": "tick", "t": 9.0}', '\x78c3127e1049e2a0303ca2a6616a95bdd33805b2a05a5abd866fe3c764d2352d', '\x827e3e29144acc7a6f3a2f2541e47ca0e6a6575e220a7be0b54dc4658dc6adcb01848db132c2a05b84a7925d13b391413fc5df55f1b200d9d7319371feb75501');
INSERT INTO public.cosigner VALUES ('\x6e2ebf61d9c7cf0278f21f43e145bcec7acf79483ba4b2f3ef5dea4b1d72c4bc');
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 0, '\x22344b7434871d46f274099da4c641d475b19323439323df4a54307d9e310f48', '{"enroll": "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394", "table": 1, "from_round": 1}', NULL, NULL, NULL);
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 1, '\xb6feb0c40e032c8186b452102e00b60ccbfd3c85170bd191e2ddbecc3643c03c', '{"enroll": "ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1", "table": 2, "from_round": 1}', NULL, NULL, '\x0c764355cece5ee11b50d6a0ec06ad51ead8b6b032ffff051e7c99b3144717b8');
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 2, '\x5b623dc5de1a97e0eda3fac529e9f951e22868b38daadec818650e9738819f99', '{"plan": 1, "round": 1, "tables": {"1": ["Ann", "Ben"], "2": ["Cat", "Dan"]}}', NULL, NULL, NULL);
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 3, '\x1a22bde14a740af182113a9db19ba05af84913ab438dce846745eadaa864cb98', '{"plan": 1, "round": 2, "tables": {"1": ["Ann", "Ben"], "2": ["Cat", "Dan"]}}', NULL, NULL, '\xc40d2d28ed4450d6ee8d57778d549cdfc16323791100672b564465186cce13bd5e211e6c27435f2dc2a2750e5bfb2513f83c7261c816e8f6e33ee5342df19c73');
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 4, '\xa1c60086f6b5252f08ff260f848140a9e52f433dbf0a4db1b00be29b59cb992f', '{"end": 1, "lines": {"8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394": 3, "ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1": 1}}', '\x0af328415c9ff9e0942d4f13cc46910f26f9af2ec54fb583173a7d77a7a98d3e', '\x6c9ebb278877af8d88397e6c170eb11a72af1e29c214c3c8e1fc5d728006da8f6fc25056ae0429bcaae1cfb2a8af43911e3c54461271f348faa0f51eb9d95205', NULL);
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394', 0, '\x4a45c892a1dc152731ed781d1adf6e9750000a746590ef6b11294c0b5333e9f3', '{"obs": "tick", "t": 1.0}', NULL, NULL, NULL);
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394', 1, '\xfed38ee8487716c9111a2220f12295849df092c4c99bb41289b16250095697ac', '{"result": {"round": 1, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [30, 0]}}', NULL, NULL, '\xac3edbcca5e2389495b4814a9ae6db43189dc2e5253a51d3460c59d797fb93b6');
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394', 2, '\xc5358c7d08f26db2d3dc7b52d2ef102529515ec4187b5515ae496c1b8a265de1', '{"result": {"round": 1, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [20, 0]}, "corrects": 1}', NULL, NULL, NULL);
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394', 3, '\x581903d92f8061f5c87bb71339759eac6870662ef635a7eacb3309318329591d', '{"result": {"round": 2, "table": 1, "plan": 1, "seats": ["Ann", "Ben"], "points": [0, 7]}}', '\x594da63669da0a2105b265a49efdc661e0bdfc7620510d0809041bc44f39ca1e', '\x49721a172efb48caac38d24dc302f75af650060be1843033034e3298e9ce8a9f28a2583f67fce95e8bb70f41664421614c6a4dae62c96ad864e839a868771c0a', '\x8b0a0e4a7ff62d6392a97ff9e6a15c18ac70e99b63097c748474bc31df0a2e7c594da63669da0a2105b265a49efdc661e0bdfc7620510d0809041bc44f39ca1e');
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 'ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1', 0, '\x4f5c80aa27c5c30d1aa89a5d86e8aff2d9bd14297ebd9608df0987529009837d', '{"result": {"round": 1, "table": 2, "plan": 1, "seats": ["Cat", "Dan"], "points": [0, 20]}}', NULL, NULL, NULL);
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 'ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1', 1, '\x4e8013ad147e8576f233ad7e57f40f03fe803d36bfde0d82ca83c2ff287ed54b', '{"result": {"round": 2, "table": 2, "plan": 1, "seats": ["Cat", "Dan"], "points": [5, 0]}}', NULL, NULL, '\x62bec9b7998d68615742097147c8312505ae74416fa2160806924d9b5fc4ab2e');
INSERT INTO public.line_others VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 'ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1', 2, '\xa713dddfe2b5fd968736dfa4ae9ccfa8ca5df078a08386a2d6ad6dc16a218326', '{"obs": "tick", "t": 2.0}', '\xa649e804a174a39eb05766057b26b999f82ddb757f51bd293d5da314e8ee4fe8', '\x9231975b6d38fb14bacf7c097f9c8db2541c4c3b3525fcced0eb1006119903088c869c26b9d8cc24c87cdff40f04ac01c2d1fbd357f5c141b70278d892239e0e', NULL);
INSERT INTO public.log VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 5, '\xa1c60086f6b5252f08ff260f848140a9e52f433dbf0a4db1b00be29b59cb992f5e211e6c27435f2dc2a2750e5bfb2513f83c7261c816e8f6e33ee5342df19c73d4b7ae0d97a87905d2cc7add0092730b27e2d188e51a77b864d95bacc0fe1340', NULL);
INSERT INTO public.log VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', '8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394', 4, '\x581903d92f8061f5c87bb71339759eac6870662ef635a7eacb3309318329591d594da63669da0a2105b265a49efdc661e0bdfc7620510d0809041bc44f39ca1e', NULL);
INSERT INTO public.log VALUES ('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c', 'ed4928c628d1c2c6eae90338905995612959273a5c63f93636c14614ac8737d1', 3, '\xa713dddfe2b5fd968736dfa4ae9ccfa8ca5df078a08386a2d6ad6dc16a21832662bec9b7998d68615742097147c8312505ae74416fa2160806924d9b5fc4ab2e0e73af9417fa4dd67ff64a66be768983563f66a46b28b855b31b4835bc4b5bf2', 2);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.branch
    ADD CONSTRAINT branch_pkey PRIMARY KEY (season, log, n, hash);
ALTER TABLE ONLY public.cosignature
    ADD CONSTRAINT cosignature_pkey PRIMARY KEY (season, log, size, text);
ALTER TABLE ONLY public.cosigner
    ADD CONSTRAINT cosigner_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.line
    ADD CONSTRAINT line_pkey PRIMARY KEY (season, log, n);
ALTER TABLE ONLY public.line_others
    ADD CONSTRAINT line_others_pkey PRIMARY KEY (season, log, n);
ALTER TABLE ONLY public.log
    ADD CONSTRAINT log_pkey PRIMARY KEY (season, name);
ALTER TABLE ONLY public.witnessed
    ADD CONSTRAINT witnessed_pkey PRIMARY KEY (log);
ALTER INDEX public.line_pkey ATTACH PARTITION public.line_others_pkey;
